/** Small: usually the first range fills the page. */
const ROWS_IN_FIRST_RANGE = 1_000;
/** A few milliseconds of SQLite's reader, which serves other reads in between. */
const ROWS_IN_OTHER_RANGES = 10_000;

/** Rows from one id up to another; null where unbounded. */
interface IdRange {
  readonly fromId: string | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

/**
 * Lists the newest rows that match a filter without an index, in ranges of ids, so that no statement scans a whole table
 * for a rare match.
 * @param idAtOffset the id `rows` rows behind the newest row before an id, ignoring the filter; undefined past the end.
 * @param list the newest matching rows of a range.
 */
export async function listInRanges<Row extends { id: string }>(
  { before, limit }: { before: string | null; limit: number },
  idAtOffset: (before: string | null, rows: number) => Promise<{ id: string } | undefined>,
  list: (range: IdRange) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let end = before, rows = ROWS_IN_FIRST_RANGE; ; rows = ROWS_IN_OTHER_RANGES) {
    const start = await idAtOffset(end, rows);
    found.push(...(await list({ fromId: start?.id ?? null, beforeId: end, limit: limit - found.length })));
    if (start === undefined || found.length === limit) return found;
    end = start.id;
  }
}

/** Rows behind one id up to another; null where unbounded. */
interface UpwardRange {
  readonly afterId: string | null;
  readonly toId: string | null;
  readonly limit: number;
}

/** As `listInRanges`, but the oldest rows first. @param idAtOffset the id `rows` rows behind the oldest row after an id. */
export async function listUpwardsInRanges<Row extends { id: string }>(
  { after, limit }: { after: string | null; limit: number },
  idAtOffset: (after: string | null, rows: number) => Promise<{ id: string } | undefined>,
  list: (range: UpwardRange) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let start = after, rows = ROWS_IN_FIRST_RANGE; ; rows = ROWS_IN_OTHER_RANGES) {
    const end = await idAtOffset(start, rows);
    found.push(...(await list({ afterId: start, toId: end?.id ?? null, limit: limit - found.length })));
    if (end === undefined || found.length === limit) return found;
    start = end.id;
  }
}
