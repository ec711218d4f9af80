import { table } from '../lib/markdown.ts';
import type { Ceiling, Score } from './score.ts';

export interface Results {
  /** One per seed. */
  readonly ceilings: Ceiling[];
  /** By rule, one per seed. */
  readonly scores: Map<string, Score[]>;
}

const HEAD = ['', 'Precision', 'Recall', 'F1', 'Wrong person', 'ECE'];

export function report(name: string, { ceilings, scores }: Results): string {
  const lines = [...scores].map(([rule, each]) => [
    rule,
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
    `${whole(({ installs }) => installs)} installs, ${whole(({ organic }) => organic)} of them without an earlier click,`,
    `${whole(({ withIdentifier }) => withIdentifier)} with a referrer or click ID; ${whole(({ findable }) => findable)} findable,`,
    `${mean(ceilings.map(({ share }) => share)).toFixed(3)} of them with the address of the click.`,
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
