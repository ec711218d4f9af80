import type { JournalFlushes } from '../click-log/index.ts';
import type { Config } from '../config.ts';
import { type Db, isNodeAway, isUnavailable, type Store } from '../db/index.ts';
import { type Clock, monotonicMs, SECOND_MS } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Heartbeat } from '../lib/loop.ts';
import type { Secrets } from '../lib/secrets.ts';
import { completeErasures, erasePerson, storeIdentifiers } from './erase-person.ts';
import type { PendingErasure } from './queries.ts';

/** Dependencies of erasures. */
export interface EraserDeps {
  readonly store: Store;
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly journalFlushes: JournalFlushes;
  /** Adds an app's pending counts to its roll-ups. */
  readonly foldCounts: (appId: string) => Promise<void>;
}

/** State across batches. */
export interface Progress {
  /** By app: when a request of it was last processed, by the monotonic clock. */
  readonly servedAtMs: Map<string, number>;
  /** Ids of requests that failed or have to wait. */
  readonly failed: Set<string>;
  /** The error of a node of a cluster that is away; null if there is none. */
  away: unknown;
}

/** A step starts no further request after this time, so that the processed ones complete soon. */
const STEP_MS = 5 * SECOND_MS;

/**
 * Processes pending requests of several apps, which share two flushes of the click journals, of up to a second each, and
 * one scrub of the database files. Requests for which no time is left stay pending.
 */
export async function eraseBatch(
  deps: EraserDeps,
  pending: readonly PendingErasure[],
  { progress, goOn }: { progress: Progress; goOn: Heartbeat },
): Promise<void> {
  const requests = inFairOrder(pending, progress);
  const scrubbed = requests.filter(({ scrubbed_at }) => scrubbed_at !== null);
  const open = requests.filter(({ scrubbed_at }) => scrubbed_at === null);
  const forEachInTime = async (
    todo: readonly PendingErasure[],
    step: (deps: EraserDeps, request: PendingErasure, goOn: Heartbeat) => Promise<void>,
  ) => {
    const untilMs = monotonicMs() + STEP_MS;
    const done: PendingErasure[] = [];
    for (const request of todo) {
      if (monotonicMs() > untilMs) break;
      progress.servedAtMs.set(request.app_id, monotonicMs());
      try {
        await step(deps, request, goOn);
        done.push(request);
      } catch (error) {
        const isOfNode = isNodeAway(error);
        if (isUnavailable(error) && !isOfNode) throw error;
        await goOn();
        if (isOfNode) progress.away = error;
        else deps.log.error({ err: error, requestId: request.id }, 'Failed to erase a person; will retry');
        progress.failed.add(request.id);
      }
    }
    return done;
  };

  // Stores the records that were in progress at the time of a request, so that they are found.
  const isNew = open.some(({ identifiers_found_at }) => identifiers_found_at === null);
  const ready = isNew ? await withoutAppsBehind(deps, open, { progress, goOn }) : open;
  const found = await forEachInTime(ready, storeIdentifiers);
  // Stores clicks older than the tombstones. Clicks of other journals are stored without personal data later.
  const erasable = found.length > 0 ? await withoutAppsBehind(deps, found, { progress, goOn }) : found;
  const erased = await forEachInTime(erasable, erasePerson);
  await completeErasures(deps, [...scrubbed, ...erased], goOn);
}

/** Flushes the click journals. Requests of apps whose clicks cannot be stored now stay pending. */
async function withoutAppsBehind(
  { journalFlushes }: EraserDeps,
  requests: readonly PendingErasure[],
  { progress, goOn }: { progress: Progress; goOn: Heartbeat },
): Promise<readonly PendingErasure[]> {
  const behind = await journalFlushes.flushAll(goOn);
  for (const { id, app_id } of requests) if (behind.has(app_id)) progress.failed.add(id);
  return requests.filter(({ app_id }) => !behind.has(app_id));
}

/** At the same position in their queues, the app that was served longest ago comes first. */
export function inFairOrder(requests: readonly PendingErasure[], { servedAtMs }: Progress): PendingErasure[] {
  const servedAt = ({ app_id }: PendingErasure) => servedAtMs.get(app_id) ?? 0;
  return requests.toSorted((a, b) => a.position - b.position || servedAt(a) - servedAt(b));
}
