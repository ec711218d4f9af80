/** The rows of a report that its page shows. Pure. */

export interface ReportedRow {
  readonly line: string;
  readonly outcome: string;
  readonly oldAddress: string;
  readonly shortUrl: string;
  readonly reason: string;
}

export interface PickedRows {
  /** Conflicts and failures, in the order of the file. */
  readonly wrong: readonly ReportedRow[];
  /** Some of the others, with their new addresses. */
  readonly good: readonly ReportedRow[];
  readonly seen: number;
}

export interface Wanted {
  readonly wrong: number;
  readonly good: number;
}

export const NONE_PICKED: PickedRows = { wrong: [], good: [], seen: 0 };

/** @param rows cells as `GET …/rows` has them, without its header. */
export function pickRows(
  before: PickedRows,
  rows: readonly { readonly cells: readonly string[] }[],
  wanted: Wanted,
): PickedRows {
  const [wrong, good] = [[...before.wrong], [...before.good]];
  for (const { cells } of rows) {
    const [line = '', outcome = '', oldAddress = '', shortUrl = '', reason = ''] = cells;
    const list = outcome === 'conflict' || outcome === 'failed' ? wrong : good;
    if (list.length < (list === wrong ? wanted.wrong : wanted.good))
      list.push({ line, outcome, oldAddress, shortUrl, reason });
  }
  return { wrong, good, seen: before.seen + rows.length };
}

export function isEnough({ wrong, good }: PickedRows, wanted: Wanted): boolean {
  return wrong.length >= wanted.wrong && good.length >= wanted.good;
}
