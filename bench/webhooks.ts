/**
 * What delivering webhooks costs: how soon one arrives, how many a second a backlog brings against a bare loop that posts
 * as many, and what receivers that never answer do to one that does.
 */
import { startCaller } from './calls.ts';
import { machine, median, quietness, spread, table, whole } from './markdown.ts';
import { startPostgres } from './postgres.ts';
import { type Service, startService } from './service.ts';
import type { BareOrder, BareResult } from './webhook-bare.ts';
import {
  BESIDE,
  EVERY_MS,
  type FairRounds,
  fairness,
  HANGING,
  type LowRounds,
  lowLoad,
  type Pace,
  startPacer,
  startReceiver,
} from './webhook-pace.ts';
import { openSide } from './webhook-side.ts';
import { BARE_UNDER_WAY, type SustainedRounds, sustained } from './webhook-sustained.ts';
import { startWorker } from './worker.ts';

interface Size {
  readonly low: { readonly rounds: number; readonly events: number };
  readonly sustained: { readonly rounds: number; readonly deliveries: number; readonly warmUp: number };
  /** Long enough that hanging attempts end by their timeout, and are made again. */
  readonly fairness: { readonly rounds: number; readonly events: number };
}

const FULL: Size = {
  low: { rounds: 3, events: 200 },
  sustained: { rounds: 3, deliveries: 20_000, warmUp: 5_000 },
  fairness: { rounds: 3, events: 600 },
};
const QUICK: Size = {
  low: { rounds: 1, events: 100 },
  sustained: { rounds: 1, deliveries: 3_000, warmUp: 1_000 },
  fairness: { rounds: 1, events: 240 },
};

export async function benchWebhooks({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startCaller();
  await using receiver = await startReceiver();
  await using pacer = await startPacer();
  await using bare = await startWorker<BareOrder, BareResult>('webhook-bare.ts');
  await using postgres = await startPostgres();
  await using onPostgres = await startSending(await postgres.createDatabase('webhooks'));
  await using onSqlite = await startSending(null);
  await using sideOnPostgres = await openSide(caller, 'PostgreSQL', onPostgres);
  await using sideOnSqlite = await openSide(caller, 'SQLite', onSqlite);
  const sides = [sideOnPostgres, sideOnSqlite];

  const { ports } = await receiver.ask({ kind: 'ports' });
  const parts = { caller, receiver, pacer, bare, ports };
  const low = await lowLoad(parts, sides, size.low);
  const many = await sustained(parts, sides, size.sustained);
  const fair = await fairness(parts, sides, size.fairness);
  return report({ low, many, fair }, postgres.version, size);
}

/** The receiver is on this machine. */
function startSending(databaseUrl: string | null): Promise<Service> {
  return startService(databaseUrl, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
}

interface Measured {
  readonly low: readonly LowRounds[];
  readonly many: readonly SustainedRounds[];
  readonly fair: readonly FairRounds[];
}

function report({ low, many, fair }: Measured, postgresVersion: string, size: Size): string {
  const each = [
    ...low.flatMap(({ rounds }) => rounds),
    ...many.flatMap(({ rounds }) => rounds.flatMap(({ bare, ours }) => [bare, ours])),
    ...fair.flatMap(({ rounds }) => rounds),
  ];
  return `${[
    machine(postgresVersion),
    [
      'Webhooks to one receiver, a bare `node:http` server; medians of rounds, lowest and highest ratio in brackets.',
      quietness(each),
    ].join('\n'),
    `Low load: one event every ${EVERY_MS} ms, ${size.low.rounds} rounds of ${size.low.events}; from the event's answer, and from its call, to the arrival of its webhook.`,
    table(
      ['Database', 'After the answer, p50', 'p99', 'After the call, p50', 'p99'],
      low.map(({ side, rounds }) => [side.engine, ...latencies(rounds)]),
    ),
    [
      `Sustained: a backlog of ${whole(size.sustained.deliveries)}, each with its row in the log, against as many signed posts by a bare \`undici\` loop, ${BARE_UNDER_WAY} under way, in turn;`,
      `${size.sustained.rounds} rounds, from the receiver's first answer to the last arrival.`,
    ].join('\n'),
    table(['Database', 'Ours / bare', 'Ours', 'Bare'], many.map(sustainedLine)),
    [
      `Fairness: one event every ${EVERY_MS} ms to one healthy receiver, alone and beside ${HANGING} that never answer, in turn; ${size.fairness.rounds} rounds of ${size.fairness.events}.`,
      'The ratio is of the p99 after the answer, to that alone in the same round.',
    ].join('\n'),
    table(
      ['Database', 'Beside', 'p99 / alone', 'After the answer, p50', 'p99', 'After the call, p50', 'p99'],
      fair.flatMap(fairLines),
    ),
  ].join('\n\n')}\n`;
}

function latencies(rounds: readonly Pace[]): string[] {
  const middle = (of: (pace: Pace) => number) => `${median(rounds.map(of)).toFixed(1)} ms`;
  return [
    middle(({ afterAnswerP50Ms }) => afterAnswerP50Ms),
    middle(({ afterAnswerP99Ms }) => afterAnswerP99Ms),
    middle(({ afterCallP50Ms }) => afterCallP50Ms),
    middle(({ afterCallP99Ms }) => afterCallP99Ms),
  ];
}

function sustainedLine({ side, rounds }: SustainedRounds): string[] {
  return [
    side.engine,
    spread(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond)),
    `${whole(median(rounds.map(({ ours }) => ours.perSecond)))}/s`,
    `${whole(median(rounds.map(({ bare }) => bare.perSecond)))}/s`,
  ];
}

function fairLines({ side, rounds }: FairRounds): string[][] {
  return BESIDE.map((what) => [
    side.engine,
    what,
    what === 'nothing'
      ? ''
      : spread(rounds.map(({ paces }) => paces[what].afterAnswerP99Ms / paces.nothing.afterAnswerP99Ms)),
    ...latencies(rounds.map(({ paces }) => paces[what])),
  ]);
}
