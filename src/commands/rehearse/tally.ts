import { VERDICTS, type Verdict } from './answer.ts';
import type { Row } from './check-link.ts';

const MAX_SHOWN = 20;

/** The visitors of one link with the same answers. */
export interface Group {
  readonly rows: readonly [Row, ...Row[]];
}

/** Counts of verdicts, and the first groups of each that is not equal. */
export class Tally {
  readonly counts: Record<Verdict, number>;
  /** Rows that are equal although something of them is not, such as utm parameters. */
  otherParameters = 0;
  #links = 0;
  #unequalLinks = 0;
  readonly #groups = new Map<Verdict, Group[]>();

  constructor() {
    this.counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  }

  /** @param rows of one link. */
  add(rows: readonly Row[]): void {
    this.#links += 1;
    if (rows.some(({ verdict }) => verdict !== 'equal')) this.#unequalLinks += 1;
    for (const { verdict, note } of rows) {
      this.counts[verdict] += 1;
      if (verdict === 'equal' && note.startsWith('Other')) this.otherParameters += 1;
    }
    const keyOf = ({ verdict, oldAnswer, newAnswer, note }: Row) =>
      JSON.stringify([verdict, oldAnswer, newAnswer, note]);
    for (const [first, ...more] of Map.groupBy(rows, keyOf).values())
      if (first !== undefined) this.#addGroup({ rows: [first, ...more] });
  }

  #addGroup(group: Group): void {
    const { verdict } = group.rows[0];
    if (verdict === 'equal') return;
    const known = this.#groups.get(verdict) ?? [];
    if (known.length < MAX_SHOWN) this.#groups.set(verdict, [...known, group]);
  }

  get links(): number {
    return this.#links;
  }

  /** Links that differ for at least one kind of visitor. */
  get unequalLinks(): number {
    return this.#unequalLinks;
  }

  get answers(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  get unequal(): number {
    return this.answers - this.counts.equal;
  }

  /** At most twenty, the worst first. */
  worst(): Group[] {
    return VERDICTS.flatMap((verdict) => this.#groups.get(verdict) ?? []).slice(0, MAX_SHOWN);
  }
}
