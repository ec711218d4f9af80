/** Parts of the Markdown reports. */
import { cpus, release, totalmem } from 'node:os';

export function machine(postgresVersion: string): string {
  const [cpu] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cpu?.model.trim()}, ${cpus().length} cores, ${gib} GiB, ${process.platform} ${release()},`,
    `Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${postgresVersion}; services, databases and load on this one machine.`,
  ].join('\n');
}

export function idleNote(rounds: readonly { readonly wasIdle: boolean }[]): string {
  const busy = rounds.filter(({ wasIdle }) => !wasIdle).length;
  return busy === 0
    ? 'The machine was idle at the start of each round.'
    : `**Other work kept the machine busy at the start of ${busy} of ${rounds.length} rounds.**`;
}

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** The median as a rate, such as `1,234/s`. */
export function medianRate(perSecond: readonly number[]): string {
  return `${whole(median(perSecond))}/s`;
}

export function medianMs(values: readonly number[], digits = 1): string {
  return `${median(values).toFixed(digits)} ms`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

/** The median, with the lowest and the highest value in brackets. */
export function spread(values: readonly number[]): string {
  return `**${median(values).toFixed(2)}** (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}

/** A round against a server; `wasIdle` tells whether the machine was idle at its start. */
export interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wasIdle: boolean;
}

/** Columns of `COMPARISON_HEAD`. */
export function comparisonCells(
  rounds: readonly { readonly bare: Pick<Round, 'perSecond'>; readonly ours: Round }[],
): string[] {
  return [
    spread(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond)),
    medianRate(rounds.map(({ ours }) => ours.perSecond)),
    medianRate(rounds.map(({ bare }) => bare.perSecond)),
    medianMs(rounds.map(({ ours }) => ours.p50Ms)),
    medianMs(rounds.map(({ ours }) => ours.p99Ms)),
  ];
}

export const COMPARISON_HEAD = ['Ours / bare', 'Ours', 'Bare', 'p50', 'p99'];
