/**
 * The latency of a decision with few and with many clicks: two services on one PostgreSQL, in turn, for addresses with
 * three clicks and for one with tens of thousands.
 */
import type { Caller, CallOrder, CallResult } from '../lib/caller.ts';
import { parseJson, requestText } from '../lib/http-messages.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { idleNote, machine, medianMs, percentile, spread, table, whole } from '../lib/markdown.ts';
import { type Postgres, startPostgres } from '../lib/postgres.ts';
import { LIVE_KEY, type Service, startService } from '../lib/service.ts';
import { androidFingerprint, buildVisitors, type Visitor } from '../lib/visitors.ts';
import { startWorker } from '../lib/worker.ts';
import { CLICKS_PER_QUERIED, fillClicks } from './fill.ts';

interface Size {
  readonly few: number;
  readonly many: number;
  /** Clicks of the crowded address. */
  readonly crowd: number;
  readonly rounds: number;
  /** Decisions in a round, each for another address. */
  readonly decisions: number;
  readonly crowdedDecisions: number;
}

const FULL: Size = {
  few: 100_000,
  many: 10_000_000,
  crowd: 50_000,
  rounds: 5,
  decisions: 1_000,
  crowdedDecisions: 250,
};
const QUICK: Size = {
  few: 20_000,
  many: 200_000,
  crowd: 10_000,
  rounds: 2,
  decisions: 300,
  crowdedDecisions: 50,
};

/** Clicks of a crowded address that a decision considers. Vetoed candidates count twice, so the sum may be higher. */
const MIN_CONSIDERED = 300;
const DEVICES = 4_000;
const CROWDED_ADDRESS = '198.51.100.7';

interface Filled {
  readonly clicks: number;
  readonly service: Service;
}

type AddressKind = 'few' | 'crowded';

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wasIdle: boolean;
}

interface Comparison {
  readonly address: AddressKind;
  readonly rounds: { readonly few: Round; readonly many: Round }[];
}

export async function benchDecisions({
  isQuick,
  clicks,
}: {
  isQuick: boolean;
  clicks: number | null;
}): Promise<string> {
  const preset = isQuick ? QUICK : FULL;
  const size = { ...preset, many: clicks ?? preset.many };
  await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
  await using postgres = await startPostgres();
  // Each decision uses a new address, whose clicks are not cached.
  const queried = buildVisitors((size.rounds + 1) * size.decisions, 20_261_121, 'android');
  await using few = await startService(await postgres.createDatabase('few'));
  await using many = await startService(await postgres.createDatabase('many'));
  const filled = {
    few: await fill(few, size.few, queried, size),
    many: await fill(many, size.many, queried, size),
  };
  const comparisons = await measure(caller, filled, queried, size);
  return report(comparisons, filled, postgres, size);
}

async function fill(
  service: Service,
  clicks: number,
  queried: readonly Visitor[],
  { crowd }: Size,
): Promise<Filled> {
  console.error(`inserting ${clicks} clicks, and ${crowd} of one address`);
  await fillClicks(service, {
    clicks,
    devices: buildVisitors(DEVICES, 20_261_122),
    queried,
    crowd: { address: CROWDED_ADDRESS, clicks: crowd },
  });
  return { clicks, service };
}

/** Interleaves the rounds, so that a disturbance of the machine affects both services. The first round warms up. */
async function measure(
  caller: Caller,
  { few, many }: { few: Filled; many: Filled },
  queried: readonly Visitor[],
  size: Size,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [
    { address: 'few', rounds: [] },
    { address: 'crowded', rounds: [] },
  ];
  for (let round = 0; round <= size.rounds; round++) {
    console.error(round === 0 ? 'warm-up' : `round ${round} of ${size.rounds}`);
    const phones = queried.slice(round * size.decisions, (round + 1) * size.decisions);
    for (const { address, rounds } of comparisons) {
      const requested = address === 'few' ? phones : phones.slice(0, size.crowdedDecisions);
      const decideOn = (side: Filled) => decide(caller, side, address, requested);
      // Alternates the order, because the second one finds warm caches.
      const both =
        round % 2 === 0
          ? { few: await decideOn(few), many: await decideOn(many) }
          : { many: await decideOn(many), few: await decideOn(few) };
      if (round > 0) rounds.push(both);
    }
  }
  return comparisons;
}

/** Sequential requests. @throws if clicks of the address were not considered. */
async function decide(
  caller: Caller,
  { clicks, service }: Filled,
  address: AddressKind,
  phones: readonly Visitor[],
): Promise<Round> {
  const wasIdle = await waitForIdleMachine();
  const { responses, latenciesMs } = await caller.run({
    port: service.port,
    connections: 1,
    requests: phones.map((phone) =>
      decisionRequest(phone, address === 'few' ? phone.address : CROWDED_ADDRESS),
    ),
  });
  const expected = address === 'few' ? CLICKS_PER_QUERIED : MIN_CONSIDERED;
  for (const response of responses) {
    const { explanation } = parseJson<Answer>(response);
    const considered = explanation.fingerprint.considered + explanation.rejected;
    if (considered < expected)
      throw new Error(`${considered} instead of ${expected} clicks were considered: ${response}`);
  }
  const p50Ms = percentile(latenciesMs, 0.5);
  const p99Ms = percentile(latenciesMs, 0.99);
  console.error(`  ${clicks} clicks, ${address}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
  return { p50Ms, p99Ms, wasIdle };
}

interface Answer {
  readonly explanation: {
    readonly rejected: number;
    readonly fingerprint: { readonly considered: number };
  };
}

/** Sent from the phone's address, because calls are rate-limited by address. */
function decisionRequest(phone: Visitor, ipAddress: string): string {
  return requestText(
    'POST',
    '/v1/debug/attribution?explain=true',
    { 'X-Forwarded-For': phone.address },
    { apiKey: LIVE_KEY, fingerprint: { ...androidFingerprint(phone), ipAddress } },
  );
}

function report(
  comparisons: readonly Comparison[],
  { few, many }: { few: Filled; many: Filled },
  { version }: Postgres,
  size: Size,
): string {
  const each = comparisons.flatMap(({ rounds }) => rounds.flatMap((round) => [round.few, round.many]));
  const head = [
    'Address',
    `p50 at ${whole(few.clicks)}`,
    `p50 at ${whole(many.clicks)}`,
    'Ratio of p50',
    `p99 at ${whole(few.clicks)}`,
    `p99 at ${whole(many.clicks)}`,
  ];
  return `${[
    machine(version),
    [
      'Decisions by fingerprint over HTTP (`POST /v1/debug/attribution`), one at a time, with few clicks and many in turn;',
      `${size.rounds} rounds of ${whole(size.decisions)} for an address each, and ${whole(size.crowdedDecisions)} for the crowded one; medians, lowest and highest ratio in brackets.`,
      idleNote(each),
    ].join('\n'),
    table(
      head,
      comparisons.map((comparison) => line(comparison, size)),
    ),
  ].join('\n\n')}\n`;
}

function line({ address, rounds }: Comparison, { crowd }: Size): string[] {
  const ms = (values: readonly number[]) => medianMs(values, 2);
  return [
    `${address === 'few' ? CLICKS_PER_QUERIED : whole(crowd)} clicks`,
    ms(rounds.map(({ few }) => few.p50Ms)),
    ms(rounds.map(({ many }) => many.p50Ms)),
    spread(rounds.map(({ few, many }) => many.p50Ms / few.p50Ms)),
    ms(rounds.map(({ few }) => few.p99Ms)),
    ms(rounds.map(({ many }) => many.p99Ms)),
  ];
}
