/** What the reports of all benches are made of. */
import { cpus, release, totalmem } from 'node:os';

export function machine(postgresVersion: string): string {
  const [cpu] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cpu?.model.trim()}, ${cpus().length} cores, ${gib} GiB, ${process.platform} ${release()},`,
    `Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${postgresVersion}; services, databases and load on this one machine.`,
  ].join('\n');
}

export function quietness(rounds: readonly { readonly beganQuiet: boolean }[]): string {
  const disturbed = rounds.filter(({ beganQuiet }) => !beganQuiet).length;
  return disturbed === 0
    ? 'Nothing else kept the machine busy when a round began.'
    : `**Something else kept the machine busy when ${disturbed} of ${rounds.length} rounds began.**`;
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

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

/** Of each round's ratio the middle one, with the lowest and the highest. */
export function spread(values: readonly number[]): string {
  return `**${median(values).toFixed(2)}** (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
