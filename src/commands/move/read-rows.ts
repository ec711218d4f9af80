import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/store.ts';
import type { TableToMove } from './list-tables.ts';

/** A row of any table, as both drivers return it. */
export type Row = Readonly<Record<string, string | number | null>>;

const FIRST_ROWS = 100;
const MAX_ROWS = 1_000;
/** Target size of a page, estimated from the previous page. */
const PAGE_CHARACTERS = 2_000_000;

/** Reads a table in pages, in key order, which is the same on both engines. */
export async function* readRows(db: Db, table: TableToMove): AsyncGenerator<readonly Row[]> {
  let limit = FIRST_ROWS;
  let last: Row | null = null;
  for (;;) {
    const rows = await readPage(db, table, { after: last, limit });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1) ?? null;
    const characters = rows.reduce((sum, row) => sum + lengthOf(row), 0);
    const fitting = Math.floor((rows.length * PAGE_CHARACTERS) / Math.max(1, characters));
    limit = Math.max(1, Math.min(MAX_ROWS, fitting));
  }
}

async function readPage(
  db: Db,
  { name, columns, key }: TableToMove,
  { after, limit }: { after: Row | null; limit: number },
): Promise<readonly Row[]> {
  // The table is known only at run time, so the row type is not.
  const query = (db as unknown as Kysely<Record<string, Row>>).selectFrom(name).select([...columns]);
  const refs = sql.join(key.map((column) => sql.ref(column)));
  const from =
    after === null
      ? query
      : query.where(sql<SqlBool>`(${refs}) > (${sql.join(key.map((column) => after[column]))})`);
  const inOrder = key.reduce((ordered, column) => ordered.orderBy(column), from);
  return await inOrder.limit(limit).execute();
}

function lengthOf(row: Row): number {
  let length = 0;
  for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 1;
  return length;
}

/** Reads a table of PostgreSQL in the order of its ids, whatever their app. @param db without a time limit: it sorts first. */
export async function* readRowsById(db: Db, { name, columns }: TableToMove): AsyncGenerator<readonly Row[]> {
  const tx = await db.startTransaction().execute();
  try {
    const query = (tx as unknown as Kysely<Record<string, Row>>).selectFrom(name).select([...columns]);
    await sql`declare rows_by_id no scroll cursor for ${query.orderBy('id')}`.execute(tx);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(MAX_ROWS)} from rows_by_id`.execute(tx);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await tx.rollback().execute();
  }
}
