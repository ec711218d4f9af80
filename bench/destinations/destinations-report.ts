import { idleNote, machine, median, medianRate, percentile, spread, table, whole } from '../lib/markdown.ts';
import type { Measured, Plan } from './destinations.ts';
import { BATCH, LIVING } from './shared.ts';

export function report(measured: readonly Measured[], plan: Plan, postgresVersion: string): string {
  const types = plan.isSingle ? 'http, one record a call' : 'segment, posthog and segment, batches';
  return `${[
    machine(postgresVersion),
    [
      `Three destinations (${types}), the third ${plan.dead === 'hangs' ? 'never answers' : 'refuses connections'};`,
      `events recorded in calls of ${BATCH} on four connections. Each living destination got each event at least once.`,
      idleNote(measured.flatMap(({ turns }) => turns)),
    ].join('\n'),
    `As fast as calls are answered: ${plan.rounds} rounds of ${whole(plan.roundCalls * BATCH)} events with destinations, with three that never answer (records are stored for them, and hardly any are sent), and without, in turns; medians.`,
    table(
      [
        'Database',
        'With / without',
        'Never answering / without',
        'With',
        'Never answering',
        'Without',
        'The living ones had all after the last answer',
      ],
      measured.map(turnCells),
    ),
    `At a pace of ${whole(plan.perSecond)} events a second, ${whole(plan.pacedCalls * BATCH)} of them: from the answer of a call to the arrival of its last event.`,
    table(
      [
        'Database',
        'Recorded',
        'Destination',
        'p50',
        'p95',
        'Longest',
        'After the end',
        'Calls',
        'Events twice',
      ],
      measured.flatMap(behindLines),
    ),
    'Resident memory before, after each quarter, and when the living ones had everything; rows at the end, after the rounds and the pace.',
    table(
      [
        'Database',
        'Memory',
        'Events',
        'Feed',
        'Queue',
        'Attempts',
        'Messages',
        'Of the dead one: queue',
        'attempts',
        'messages',
        'bytes of messages for an event',
      ],
      measured.map(rowCells),
    ),
  ].join('\n\n')}\n`;
}

function turnCells({ engine, turns }: Measured): string[] {
  return [
    engine,
    spread(turns.map((turn) => turn.withPerSecond / turn.withoutPerSecond)),
    spread(turns.map((turn) => turn.waitingPerSecond / turn.withoutPerSecond)),
    medianRate(turns.map((turn) => turn.withPerSecond)),
    medianRate(turns.map((turn) => turn.waitingPerSecond)),
    medianRate(turns.map((turn) => turn.withoutPerSecond)),
    inSeconds(median(turns.map(({ catchUpMs }) => catchUpMs))),
  ];
}

function behindLines({ engine, living, perSecond, catchUpMs }: Measured): string[][] {
  return living.map(({ behindMs, calls, repeated }, index) => [
    engine,
    `${whole(perSecond)}/s`,
    LIVING[index] ?? '',
    inSeconds(percentile(behindMs, 0.5)),
    inSeconds(percentile(behindMs, 0.95)),
    inSeconds(Math.max(...behindMs)),
    inSeconds(catchUpMs),
    whole(calls),
    whole(repeated),
  ]);
}

function rowCells({ engine, residentMb, events, rows }: Measured): string[] {
  const { feed, queue, attempts, messages, dead } = rows;
  return [
    engine,
    `${residentMb.map(whole).join(', ')} MB`,
    ...[events, feed, queue, attempts, messages, dead.queue, dead.attempts, dead.messages].map(whole),
    (dead.bytes / events).toFixed(1),
  ];
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
