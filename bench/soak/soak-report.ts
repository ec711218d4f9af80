/** Markdown report of a soak: the first, middle and last window, and the rules. */
import { idleNote, machine, table, whole } from '../lib/markdown.ts';
import { KINDS, type Kind, PER_SECOND } from './mixed-calls.ts';
import type { Soak } from './soak.ts';
import {
  highest,
  judge,
  latencyOf,
  lowest,
  medianOf,
  type Verdict,
  type Window,
  type Windows,
} from './soak-windows.ts';

export function report(soaks: readonly Soak[], totalMs: number, postgresVersion: string): string {
  return `${[
    machine(postgresVersion),
    [`Mixed load for ${totalMs / 60_000} minutes; the first window warms up.`, idleNote(soaks)].join('\n'),
    ...soaks.flatMap(reportOne),
  ].join('\n\n')}\n`;
}

function reportOne({ engine, windows, found }: Soak): string[] {
  const verdicts = judge(windows);
  return [
    `### ${engine}`,
    table(['', 'First', 'Middle', 'Last', 'Last / first'], statLines(windows)),
    table(
      [
        'Call',
        'Per second',
        'First, p50',
        'p99',
        'Middle, p50',
        'p99',
        'Last, p50',
        'p99',
        'p99, last / first',
      ],
      KINDS.map((kind) => latencyLine(kind, windows)),
    ),
    table(['Rule', 'Found', 'Met'], verdicts.map(verdictLine)),
    conclusion(engine, verdicts),
    [
      `All ${whole(found.clicks)} clicks and ${whole(found.events)} events are stored and counted once.`,
      `All ${whole(found.messages)} messages arrived at the receiver that always succeeds.`,
    ].join('\n'),
  ];
}

function statLines({ first, middle, last }: Windows): string[][] {
  const line = (name: string, read: (window: Window) => number, unit: string, digits = 0) => {
    const values = [first, middle, last].map(read);
    const ratio = (values[2] ?? 0) / (values[0] ?? 0);
    return [
      name,
      ...values.map((value) => `${value.toFixed(digits)}${unit}`),
      Number.isFinite(ratio) ? ratio.toFixed(2) : '',
    ];
  };
  return [
    line('Resident memory, median', (window) => medianOf(window, 'residentMb'), ' MB'),
    line('Resident memory, highest', (window) => highest(window, 'residentMb'), ' MB'),
    line('Heap, lowest', (window) => lowest(window, 'heapMb'), ' MB'),
    line('Descriptors, lowest', (window) => lowest(window, 'descriptors'), ''),
    line('Handles, lowest', (window) => lowest(window, 'handles'), ''),
    line('Connections to PostgreSQL, highest', (window) => highest(window, 'connections'), ''),
    line('Event loop lag, p99', (window) => medianOf(window, 'loopLagP99Ms'), ' ms', 1),
    line('Oldest click not in the database, highest', (window) => highest(window, 'behindMs'), ' ms'),
    line('Journal, highest', (window) => highest(window, 'journalMb'), ' MB', 1),
    line('SQLite’s WAL, highest', (window) => highest(window, 'walMb'), ' MB', 1),
    line('Synced write, p50', ({ disk }) => disk.p50Ms, ' ms', 1),
    line('Synced write, p99', ({ disk }) => disk.p99Ms, ' ms', 1),
    line('Synced write, longest', ({ disk }) => disk.longestMs, ' ms'),
  ].filter((cells) => cells.slice(1).some((cell) => Number.parseFloat(cell) > 0));
}

function latencyLine(kind: Kind, { first, middle, last }: Windows): string[] {
  const ms = (value: number | undefined) => `${(value ?? Number.NaN).toFixed(1)} ms`;
  const each = [first, middle, last].map((window) => latencyOf(window, kind));
  return [
    kind,
    String(PER_SECOND[kind]),
    ...each.flatMap((latency) => [ms(latency?.p50Ms), ms(latency?.p99Ms)]),
    ((each[2]?.p99Ms ?? Number.NaN) / (each[0]?.p99Ms ?? Number.NaN)).toFixed(2),
  ];
}

function verdictLine({ rule, found, isMet }: Verdict): string[] {
  return [rule, found, isMet === null ? 'run too short' : isMet ? 'yes' : '**no**'];
}

function conclusion(engine: string, verdicts: readonly Verdict[]): string {
  const broken = verdicts.filter(({ isMet }) => isMet === false).length;
  const open = verdicts.filter(({ isMet }) => isMet === null).length;
  if (broken > 0) return `**${engine} is not stable: ${broken} of ${verdicts.length} rules are not met.**`;
  if (open > 0) return `${engine} is stable; the run is too short for ${open} rules.`;
  return `${engine} is stable.`;
}
