import type { JournalFlushes } from '../clicks/index.ts';
import { monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isUnavailable } from '../platform/db/index.ts';
import type { GoOn } from '../platform/loop.ts';
import { completeErasures, erasePerson, findWays } from './erase-person.ts';
import type { PendingErasure } from './queries.ts';

export type EraserCtx = Ctx & { journalFlushes: JournalFlushes };

/** What earlier batches did. */
export interface Progress {
  /** When a request of an app was last worked on, by the monotonic clock. */
  readonly servedAtMs: Map<string, number>;
  /** Ids of requests that failed. */
  readonly failed: Set<string>;
}

/** After this time a step begins no other request: those that are done are completed first. */
const STEP_MS = 5 * SECOND_MS;

/**
 * Erases pending requests of several apps, which share two flushes of all processes, of up to a second each, and one scrub
 * of the database's files. Requests for which time runs out stay pending.
 */
export async function eraseBatch(
  ctx: EraserCtx,
  pending: readonly PendingErasure[],
  { progress, goOn }: { progress: Progress; goOn: GoOn },
): Promise<void> {
  const requests = inTurns(pending, progress);
  const scrubbed = requests.filter(({ scrubbed_at }) => scrubbed_at !== null);
  const open = requests.filter(({ scrubbed_at }) => scrubbed_at === null);
  const eachInTime = async (some: readonly PendingErasure[], step: typeof erasePerson) => {
    const untilMs = monotonicMs() + STEP_MS;
    const done: PendingErasure[] = [];
    for (const request of some) {
      if (monotonicMs() > untilMs) break;
      progress.servedAtMs.set(request.app_id, monotonicMs());
      try {
        await step(ctx, request, goOn);
        done.push(request);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        await goOn();
        ctx.log.error({ err: error, requestId: request.id }, 'Failed to erase a person; will retry');
        progress.failed.add(request.id);
      }
    }
    return done;
  };

  // What was being recorded at the time of a request is stored then, and is found.
  if (open.some(({ ways_found_at }) => ways_found_at === null)) await ctx.journalFlushes.flushAll(goOn);
  const found = await eachInTime(open, findWays);
  // Clicks older than the tombstones are in the table then; those in old journals are stored without the person later.
  if (found.length > 0) await ctx.journalFlushes.flushAll(goOn);
  const erased = await eachInTime(found, erasePerson);
  await completeErasures(ctx, [...scrubbed, ...erased], goOn);
}

/** Within a turn, the app that was served longest ago comes first: large requests of one app do not keep others waiting. */
export function inTurns(requests: readonly PendingErasure[], { servedAtMs }: Progress): PendingErasure[] {
  const servedAt = ({ app_id }: PendingErasure) => servedAtMs.get(app_id) ?? 0;
  return requests.toSorted((a, b) => a.turn - b.turn || servedAt(a) - servedAt(b));
}
