import { setImmediate as othersTurn } from 'node:timers/promises';

/** Mostly what is looked for is among the first. */
const ROWS_IN_FIRST = 1_000;
/** Looked at by one statement: on SQLite a few milliseconds of the event loop. */
const ROWS_IN_OTHERS = 10_000;

/** Rows from one id on and before another; null where it has no such end. */
interface Stretch {
  readonly fromId: string | null;
  readonly beforeId: string | null;
  /** How many of its rows are wanted. */
  readonly most: number;
}

/**
 * The newest rows that a filter lets through, stretch by stretch. For filters that no index answers: what they look for
 * may be rare, or not there, and no statement must go over a whole table for it.
 * @param edgeBehind the id of the row that is so many rows behind the newest before an id, without a look at the filter;
 * undefined where there are not so many.
 * @param list the newest rows of a stretch that the filter lets through.
 */
export async function listInStretches<Row extends { id: string }>(
  { before, limit }: { before: string | null; limit: number },
  edgeBehind: (before: string | null, rows: number) => Promise<{ id: string } | undefined>,
  list: (stretch: Stretch) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let end = before, rows = ROWS_IN_FIRST; ; rows = ROWS_IN_OTHERS) {
    const edge = await edgeBehind(end, rows);
    found.push(...(await list({ fromId: edge?.id ?? null, beforeId: end, most: limit - found.length })));
    if (edge === undefined || found.length === limit) return found;
    end = edge.id;
    await othersTurn();
  }
}
