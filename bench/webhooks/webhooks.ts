/** Webhook delivery: latency, throughput of a backlog compared with a bare loop, and isolation from hanging receivers. */
import type { CallOrder, CallResult } from '../lib/caller.ts';
import { idleNote, machine, medianMs, medianRate, spread, table, whole } from '../lib/markdown.ts';
import { recordOrganicInstalls } from '../lib/phones.ts';
import { startPostgres } from '../lib/postgres.ts';
import { startService } from '../lib/service.ts';
import { startWorker } from '../lib/worker.ts';
import type { BareOrder } from './webhook-bare.ts';
import type { Side } from './webhook-calls.ts';
import {
  EVENT_INTERVAL_MS,
  type EventPacer,
  type FairnessRounds,
  HANGING,
  type Latency,
  type LowLoadRounds,
  measureFairness,
  measureLowLoad,
  OTHER_RECEIVERS,
  startReceiver,
} from './webhook-latency.ts';
import { BARE_CONNECTIONS, measureThroughput, type ThroughputRounds } from './webhook-throughput.ts';

interface Size {
  readonly lowLoad: { readonly rounds: number; readonly events: number };
  /** Multiples of 500. */
  readonly throughput: { readonly rounds: number; readonly deliveries: number; readonly warmUp: number };
  /** Long enough for hanging attempts to time out and be retried. */
  readonly fairness: { readonly rounds: number; readonly events: number };
}

const INSTALLS = 50;
const FULL: Size = {
  lowLoad: { rounds: 3, events: 200 },
  throughput: { rounds: 3, deliveries: 20_000, warmUp: 5_000 },
  fairness: { rounds: 3, events: 600 },
};
const QUICK: Size = {
  lowLoad: { rounds: 1, events: 100 },
  throughput: { rounds: 1, deliveries: 3_000, warmUp: 1_000 },
  fairness: { rounds: 1, events: 240 },
};
/** The receiver runs on this machine. */
const SETTINGS = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

export async function benchWebhooks({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
  await using receiver = await startReceiver();
  await using pacer: EventPacer = await startWorker('webhooks/webhook-pacer.ts');
  await using bare = await startWorker<BareOrder, object>('webhooks/webhook-bare.ts');
  await using postgres = await startPostgres();
  await using onPostgres = await startService(await postgres.createDatabase('webhooks'), SETTINGS);
  await using onSqlite = await startService(null, SETTINGS);
  const sides: Side[] = [];
  for (const [engine, service] of [
    ['PostgreSQL', onPostgres],
    ['SQLite', onSqlite],
  ] as const) {
    // Several, because events are limited by install and day.
    const installIds = await recordOrganicInstalls(caller, service, INSTALLS);
    sides.push({ engine, service, installIds });
  }
  const { ports } = await receiver.run({ kind: 'ports' });
  const processes = { caller, receiver, pacer, bare, ports };
  const lowLoad = await measureLowLoad(processes, sides, size.lowLoad);
  const throughput = await measureThroughput(processes, sides, size.throughput);
  const fairness = await measureFairness(processes, sides, size.fairness);
  return report({ lowLoad, throughput, fairness }, postgres.version, size);
}

interface Results {
  readonly lowLoad: readonly LowLoadRounds[];
  readonly throughput: readonly ThroughputRounds[];
  readonly fairness: readonly FairnessRounds[];
}

function report({ lowLoad, throughput, fairness }: Results, postgresVersion: string, size: Size): string {
  const all = [
    ...lowLoad.flatMap(({ rounds }) => rounds),
    ...throughput.flatMap(({ rounds }) => rounds.flatMap(({ bare, ours }) => [bare, ours])),
    ...fairness.flatMap(({ rounds }) => rounds),
  ];
  return `${[
    machine(postgresVersion),
    [
      'Webhooks to one receiver, a bare `node:http` server; medians of rounds, lowest and highest ratio in brackets.',
      idleNote(all),
    ].join('\n'),
    `Low load: one event every ${EVENT_INTERVAL_MS} ms, ${size.lowLoad.rounds} rounds of ${size.lowLoad.events}; from the event's answer, and from its call, to the arrival of its webhook.`,
    table(
      ['Database', ...LATENCY_HEAD],
      lowLoad.map(({ side, rounds }) => [side.engine, ...latencyCells(rounds)]),
    ),
    [
      `Sustained: a backlog of ${whole(size.throughput.deliveries)}, each with its row in the log, compared with as many signed posts by a bare \`undici\` loop on ${BARE_CONNECTIONS} connections, in turn;`,
      `${size.throughput.rounds} rounds, from the receiver's first answer to the last arrival.`,
    ].join('\n'),
    table(['Database', 'Ours / bare', 'Ours', 'Bare'], throughput.map(throughputCells)),
    [
      `Fairness: one event every ${EVENT_INTERVAL_MS} ms to one healthy receiver, alone and beside ${HANGING} that never answer, in turn; ${size.fairness.rounds} rounds of ${size.fairness.events}.`,
      'The ratio compares the p99 after the answer with the p99 alone in the same round.',
    ].join('\n'),
    table(['Database', 'Beside', 'p99 / alone', ...LATENCY_HEAD], fairness.flatMap(fairnessLines)),
  ].join('\n\n')}\n`;
}

const LATENCY_HEAD = ['After the answer, p50', 'p99', 'After the call, p50', 'p99'];

function latencyCells(rounds: readonly Latency[]): string[] {
  return [
    medianMs(rounds.map(({ afterAnswerP50Ms }) => afterAnswerP50Ms)),
    medianMs(rounds.map(({ afterAnswerP99Ms }) => afterAnswerP99Ms)),
    medianMs(rounds.map(({ afterCallP50Ms }) => afterCallP50Ms)),
    medianMs(rounds.map(({ afterCallP99Ms }) => afterCallP99Ms)),
  ];
}

function throughputCells({ side, rounds }: ThroughputRounds): string[] {
  return [
    side.engine,
    spread(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond)),
    medianRate(rounds.map(({ ours }) => ours.perSecond)),
    medianRate(rounds.map(({ bare }) => bare.perSecond)),
  ];
}

function fairnessLines({ side, rounds }: FairnessRounds): string[][] {
  return OTHER_RECEIVERS.map((others) => {
    const ratios = rounds.map(
      ({ latencies }) => latencies[others].afterAnswerP99Ms / latencies.nothing.afterAnswerP99Ms,
    );
    return [
      side.engine,
      others,
      others === 'nothing' ? '' : spread(ratios),
      ...latencyCells(rounds.map(({ latencies }) => latencies[others])),
    ];
  });
}
