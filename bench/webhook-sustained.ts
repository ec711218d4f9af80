/**
 * How many deliveries a second a backlog brings, log rows included, against a bare loop that posts as many.
 *
 * Both are measured the same way, at the receiver: it answers nothing until all is due (or the loop's first posts are
 * there), and the clock runs from when it begins to answer to the last arrival. So the service records no events
 * meanwhile, and what waited at the gate is not counted.
 */
import type { Caller } from './calls.ts';
import { whole } from './markdown.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import type { BareOrder, BareResult } from './webhook-bare.ts';
import type { Receiver } from './webhook-pace.ts';
import type { Received } from './webhook-receiver.ts';
import { recordEvents, SECRET, type Side, subscribe, unsubscribe, waitUntilIdle } from './webhook-side.ts';
import type { Worker } from './worker.ts';

/** Posts of the bare loop. A webhook's window opens further while its receiver is quick (`delivery/lanes.ts`). */
export const BARE_UNDER_WAY = 64;
/** Attempts end after 10 s, so the gate must be open by then. */
const GATE_AT_MOST_MS = 9_000;
const DONE_WITHIN_MS = 180_000;

export interface Rate {
  readonly perSecond: number;
  readonly beganQuiet: boolean;
}

export interface SustainedRounds {
  readonly side: Side;
  readonly rounds: { readonly bare: Rate; readonly ours: Rate }[];
}

interface SustainedParts {
  readonly caller: Caller;
  readonly receiver: Receiver;
  readonly bare: Worker<BareOrder, BareResult>;
  readonly ports: readonly number[];
}

/** A side with the one webhook that all of its rounds go to. */
interface Line {
  readonly side: Side;
  readonly webhookId: string;
  delivered: number;
}

/** Bare, ours, on one database and then the other: what disturbs the machine for a while disturbs all of them. */
export async function sustained(
  parts: SustainedParts,
  sides: readonly Side[],
  size: { rounds: number; deliveries: number; warmUp: number },
): Promise<SustainedRounds[]> {
  const measured: (SustainedRounds & { line: Line })[] = [];
  for (const side of sides) {
    const line = { side, webhookId: await subscribe(side, address(parts)), delivered: 0 };
    await deliver(parts, line, size.warmUp);
    await post(parts, size.warmUp);
    measured.push({ side, line, rounds: [] });
  }
  for (let round = 1; round <= size.rounds; round++) {
    say(`sustained, round ${round} of ${size.rounds}`);
    for (const { line, side, rounds } of measured) {
      const bareQuiet = await machineIsQuiet();
      const bare = { perSecond: await post(parts, size.deliveries), beganQuiet: bareQuiet };
      const oursQuiet = await machineIsQuiet();
      const ours = { perSecond: await deliver(parts, line, size.deliveries), beganQuiet: oursQuiet };
      say(`  ${side.engine}: bare ${whole(bare.perSecond)}/s, deliveries ${whole(ours.perSecond)}/s`);
      rounds.push({ bare, ours });
    }
  }
  for (const { line } of measured) await unsubscribe(line.side, line.webhookId);
  return measured;
}

/** @throws when a delivery did not arrive once, or is not once in the log. */
async function deliver({ caller, receiver }: SustainedParts, line: Line, count: number): Promise<number> {
  await receiver.ask({ kind: 'begin', isGated: true, takesNotes: false });
  const startMs = performance.now();
  await recordEvents(caller, line.side, count);
  const tookMs = performance.now() - startMs;
  if (tookMs > GATE_AT_MOST_MS)
    throw new Error(`${line.side.engine}: ${count} events took ${whole(tookMs)} ms to record, too long`);
  await receiver.ask({ kind: 'open' });
  const received = await receiver.ask({ kind: 'await', count, withinMs: DONE_WITHIN_MS });
  await waitUntilIdle(line.side, DONE_WITHIN_MS);
  line.delivered += count;
  await check(line);
  const { count: arrived } = await receiver.ask({ kind: 'look' });
  if (arrived !== count) throw new Error(`${line.side.engine}: ${count} deliveries, ${arrived} arrivals`);
  return perSecond(received);
}

async function check({ side, webhookId, delivered }: Line): Promise<void> {
  const { all, successes, messages } = await side.log.attempts(webhookId);
  if (all !== delivered || successes !== delivered || messages !== delivered)
    throw new Error(
      `${side.engine}: ${delivered} deliveries, but the log has ${all} attempts, of which ${successes} arrived, of ${messages} messages`,
    );
}

/** The bare loop. */
async function post({ receiver, bare, ports }: SustainedParts, count: number): Promise<number> {
  const { sample } = await receiver.ask({ kind: 'begin', isGated: true, takesNotes: false });
  if (sample === null) throw new Error('the service has sent nothing to copy');
  const done = bare.ask({
    port: ports[0] ?? 0,
    path: '/healthy',
    posts: count,
    connections: BARE_UNDER_WAY,
    secret: SECRET,
    sample,
  });
  // Reported when it is awaited.
  done.catch(() => undefined);
  await receiver.ask({ kind: 'await', count: BARE_UNDER_WAY, withinMs: GATE_AT_MOST_MS });
  await receiver.ask({ kind: 'open' });
  const received = await receiver.ask({ kind: 'await', count, withinMs: DONE_WITHIN_MS });
  const { firstError } = await done;
  if (firstError !== null) throw new Error(`the bare loop: ${firstError}`);
  return perSecond(received);
}

function perSecond({ count, held, openedMs, lastMs }: Received): number {
  return ((count - held) / (lastMs - openedMs)) * 1_000;
}

function address({ ports }: SustainedParts): string {
  return `http://127.0.0.1:${ports[0]}/healthy`;
}
