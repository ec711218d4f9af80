/**
 * What a decision costs when an app has few clicks and when it has many: two services on one PostgreSQL, asked in turn,
 * in one run on one machine, about addresses with three clicks and about one with tens of thousands.
 */
import { type Caller, jsonOf, request, startCaller } from './calls.ts';
import { CLICKS_OF_ONE, fillClicks } from './fill.ts';
import { machine, median, percentile, quietness, spread, table, whole } from './markdown.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import { LIVE_KEY, type Service, startService } from './service.ts';
import { androidFingerprint, buildVisitors, type Visitor } from './visitors.ts';

interface Size {
  readonly few: number;
  readonly many: number;
  /** Clicks behind the crowded address. */
  readonly crowd: number;
  readonly rounds: number;
  /** Decisions in a round, each about another address. */
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

/** What a decision looks at behind a crowded address, at most. */
const LOOKED_AT = 300;
const DEVICES = 4_000;
const CROWDED_ADDRESS = '198.51.100.7';

interface Filled {
  readonly clicks: number;
  readonly service: Service;
}

type Address = 'few' | 'crowded';

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly beganQuiet: boolean;
}

/** Rounds with few clicks and with many, beside each other. */
interface Comparison {
  readonly address: Address;
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
  await using caller = await startCaller();
  await using postgres = await startPostgres();
  // Each decision is about an address that was not asked about before, so that nothing of it was read already.
  const asked = buildVisitors((size.rounds + 1) * size.decisions, 20_261_121, 'android');
  await using few = await startService(await postgres.createDatabase('few'));
  await using many = await startService(await postgres.createDatabase('many'));
  const filled = {
    few: await fill(few, size.few, asked, size),
    many: await fill(many, size.many, asked, size),
  };
  const comparisons = await measure(caller, filled, asked, size);
  return report(comparisons, filled, postgres, size);
}

async function fill(
  service: Service,
  clicks: number,
  asked: readonly Visitor[],
  { crowd }: Size,
): Promise<Filled> {
  say(`${clicks} clicks, and ${crowd} behind one address`);
  await fillClicks(service, {
    clicks,
    devices: buildVisitors(DEVICES, 20_261_122),
    asked,
    crowd: { address: CROWDED_ADDRESS, clicks: crowd },
  });
  return { clicks, service };
}

/** Few, many, many, few, …: what disturbs the machine for a while disturbs both. The first round warms up. */
async function measure(
  caller: Caller,
  { few, many }: { few: Filled; many: Filled },
  asked: readonly Visitor[],
  size: Size,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [
    { address: 'few', rounds: [] },
    { address: 'crowded', rounds: [] },
  ];
  for (let round = 0; round <= size.rounds; round++) {
    say(round === 0 ? 'warm-up' : `round ${round} of ${size.rounds}`);
    const phones = asked.slice(round * size.decisions, (round + 1) * size.decisions);
    for (const { address, rounds } of comparisons) {
      const questions = address === 'few' ? phones : phones.slice(0, size.crowdedDecisions);
      const decideOn = (side: Filled) => decide(caller, side, address, questions);
      // Whoever is second has the machine warm.
      const both =
        round % 2 === 0
          ? { few: await decideOn(few), many: await decideOn(many) }
          : { many: await decideOn(many), few: await decideOn(few) };
      if (round > 0) rounds.push(both);
    }
  }
  return comparisons;
}

/** One question after the other. @throws when the clicks behind the address were not all looked at. */
async function decide(
  caller: Caller,
  { clicks, service }: Filled,
  address: Address,
  phones: readonly Visitor[],
): Promise<Round> {
  const beganQuiet = await machineIsQuiet();
  const { answers, latenciesMs } = await caller.call({
    port: service.port,
    connections: 1,
    requests: phones.map((phone) => question(phone, address === 'few' ? phone.address : CROWDED_ADDRESS)),
  });
  const lookedAt = address === 'few' ? CLICKS_OF_ONE : LOOKED_AT;
  for (const answer of answers) {
    const { explanation } = jsonOf<Answer>(answer);
    if (explanation.fingerprint.considered + explanation.rejected !== lookedAt)
      throw new Error(`${lookedAt} clicks should have been looked at: ${answer}`);
  }
  const p50Ms = percentile(latenciesMs, 0.5);
  const p99Ms = percentile(latenciesMs, 0.99);
  say(`  ${clicks} clicks, ${address}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
  return { p50Ms, p99Ms, beganQuiet };
}

interface Answer {
  readonly explanation: {
    readonly rejected: number;
    readonly fingerprint: { readonly considered: number };
  };
}

/** What an install from this phone would be answered. The caller's own address is the phone's: callers are limited. */
function question(phone: Visitor, ipAddress: string): string {
  return request(
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
      `${size.rounds} rounds of ${whole(size.decisions)} about an address each, and ${whole(size.crowdedDecisions)} about the crowded one; medians, lowest and highest ratio in brackets.`,
      quietness(each),
    ].join('\n'),
    table(
      head,
      comparisons.map((comparison) => line(comparison, size)),
    ),
  ].join('\n\n')}\n`;
}

function line({ address, rounds }: Comparison, { crowd }: Size): string[] {
  const ms = (values: readonly number[]) => `${median(values).toFixed(2)} ms`;
  return [
    `${address === 'few' ? CLICKS_OF_ONE : whole(crowd)} clicks`,
    ms(rounds.map(({ few }) => few.p50Ms)),
    ms(rounds.map(({ many }) => many.p50Ms)),
    spread(rounds.map(({ few, many }) => many.p50Ms / few.p50Ms)),
    ms(rounds.map(({ few }) => few.p99Ms)),
    ms(rounds.map(({ many }) => many.p99Ms)),
  ];
}
