/** Scores as Markdown. */
import type { Ceiling, Score } from './score.ts';

export interface Results {
  /** One for each seed */
  readonly ceilings: Ceiling[];
  /** By whose decisions: one for each seed */
  readonly scores: Map<string, Score[]>;
}

const HEAD = ['', 'Precision', 'Recall', 'F1', 'Wrong person', 'ECE'];

export function report(name: string, { ceilings, scores }: Results): string {
  const lines = [...scores].map(([who, each]) => [
    who,
    cell(each, ({ precision }) => precision, Math.min),
    cell(each, ({ recall }) => recall, Math.min),
    cell(each, ({ f1 }) => f1, Math.min),
    cell(each, ({ wrongPersonRate }) => wrongPersonRate, Math.max),
    cell(each, ({ calibrationError }) => calibrationError, Math.max),
  ]);
  return [`### ${name}`, summary(ceilings), table(HEAD, lines), ''].join('\n\n');
}

function summary(ceilings: readonly Ceiling[]): string {
  const whole = (of: (ceiling: Ceiling) => number) =>
    Math.round(mean(ceilings.map(of))).toLocaleString('en-US');
  return [
    `${whole(({ installs }) => installs)} installs, ${whole(({ organic }) => organic)} of them without a click before,`,
    `${whole(({ withIdentifier }) => withIdentifier)} with a referrer or click ID; ${whole(({ findable }) => findable)} to find,`,
    `${mean(ceilings.map(({ share }) => share)).toFixed(3)} of them under the address of the click.`,
    `Means of ${ceilings.length} seeds, the worst in brackets.`,
  ].join('\n');
}

function cell(
  scores: readonly Score[],
  of: (score: Score) => number | null,
  worst: (...values: number[]) => number,
): string {
  const values = scores.map(of).filter((value) => value !== null && !Number.isNaN(value)) as number[];
  return values.length === 0 ? '–' : `${mean(values).toFixed(3)} (${worst(...values).toFixed(3)})`;
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
