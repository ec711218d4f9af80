/** A soak as Markdown: what was seen in the first, the middle and the last window, and which rules were kept. */
import { machine, quietness, table, whole } from './markdown.ts';
import { KINDS, type Kind, PER_SECOND } from './mixed-calls.ts';
import type { Soak } from './soak.ts';
import {
  highest,
  judge,
  latencyOf,
  lowest,
  middleOf,
  type Verdict,
  type Window,
  type Windows,
} from './soak-windows.ts';

export function report(soaks: readonly Soak[], totalMs: number, postgresVersion: string): string {
  return `${[
    machine(postgresVersion),
    [
      `Mixed load for ${totalMs / 60_000} minutes, in windows of which the first warms up.`,
      quietness(soaks),
    ].join('\n'),
    ...soaks.flatMap(reportOne),
  ].join('\n\n')}\n`;
}

function reportOne({ engine, windows, found }: Soak): string[] {
  const verdicts = judge(windows);
  return [
    `### ${engine}`,
    table(['', 'First', 'Middle', 'Last', 'Last / first'], vitalLines(windows)),
    table(
      [
        'Call',
        'A second',
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
    table(['Rule', 'Found', 'Kept'], verdicts.map(verdictLine)),
    conclusion(engine, verdicts),
    [
      `${whole(found.clicks)} clicks and ${whole(found.events)} events were answered, as many are stored, and every record is counted once.`,
      `Of ${whole(found.messages)} messages each arrived at the receiver that takes everything.`,
    ].join('\n'),
  ];
}

function vitalLines({ first, middle, last }: Windows): string[][] {
  const line = (what: string, of: (window: Window) => number, unit: string, digits = 0) => {
    const values = [first, middle, last].map(of);
    const ratio = (values[2] ?? 0) / (values[0] ?? 0);
    return [
      what,
      ...values.map((value) => `${value.toFixed(digits)}${unit}`),
      Number.isFinite(ratio) ? ratio.toFixed(2) : '',
    ];
  };
  return [
    line('Resident memory, median', (window) => middleOf(window, 'residentMb'), ' MB'),
    line('Resident memory, highest', (window) => highest(window, 'residentMb'), ' MB'),
    line('Heap, lowest', (window) => lowest(window, 'heapMb'), ' MB'),
    line('Descriptors, lowest', (window) => lowest(window, 'descriptors'), ''),
    line('Handles, lowest', (window) => lowest(window, 'handles'), ''),
    line('Connections to PostgreSQL, highest', (window) => highest(window, 'connections'), ''),
    line('Lag of the event loop, p99', (window) => middleOf(window, 'loopLagP99Ms'), ' ms', 1),
    line('Oldest click not in the database, highest', (window) => highest(window, 'behindMs'), ' ms'),
    line('Journal, highest', (window) => highest(window, 'journalMb'), ' MB', 1),
    line('SQLite’s log of writes, highest', (window) => highest(window, 'walMb'), ' MB', 1),
    line('A synced write beside it, p50', ({ disk }) => disk.p50Ms, ' ms', 1),
    line('A synced write beside it, p99', ({ disk }) => disk.p99Ms, ' ms', 1),
    line('A synced write beside it, longest', ({ disk }) => disk.longestMs, ' ms'),
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

function verdictLine({ rule, found, isKept }: Verdict): string[] {
  return [rule, found, isKept === null ? 'too short to tell' : isKept ? 'yes' : '**no**'];
}

function conclusion(engine: string, verdicts: readonly Verdict[]): string {
  const broken = verdicts.filter(({ isKept }) => isKept === false).length;
  const open = verdicts.filter(({ isKept }) => isKept === null).length;
  if (broken > 0) return `**${engine} is not flat: ${broken} of ${verdicts.length} rules are broken.**`;
  if (open > 0) return `${engine} is flat as far as so short a run can tell: it leaves ${open} rules open.`;
  return `${engine} is flat.`;
}
