import { createHash } from 'node:crypto';
import type { Db, Store } from '../../db/store.ts';
import { StartError } from '../../errors.ts';
import type { OnRows } from './copy-tables.ts';
import type { TableToMove } from './list-tables.ts';
import { type Row, readRows } from './read-rows.ts';

/** A table with equal contents in both databases. */
export interface MovedTable {
  readonly name: string;
  readonly rows: number;
  /** Hash of all values in key order; hexadecimal. */
  readonly sha256: string;
}

/**
 * Compares the row counts and hashes of the tables in both databases.
 * @param names of the source and the target, for the error.
 * @throws StartError with the first table that differs and its first differing row.
 */
export async function checkTables(
  source: Store,
  target: Store,
  {
    tables,
    names,
    onRows,
  }: { tables: readonly TableToMove[]; names: readonly [string, string]; onRows: OnRows },
): Promise<MovedTable[]> {
  const checked: MovedTable[] = [];
  for (const table of tables) {
    const [here, there] = await Promise.all([
      hashRows(source.db, table, () => undefined),
      hashRows(target.db, table, (rows) => onRows(table, rows)),
    ]);
    if (here.rows !== there.rows || here.sha256 !== there.sha256)
      throw new StartError(
        `The check failed: table ${table.name} has ${here.rows} rows in ${names[0]} and ${there.rows} in ${names[1]}, which first differ at ${await findDifference(source.db, target.db, table)}. Nothing was changed in ${names[0]}. Run the command again, which starts over.`,
      );
    checked.push({ name: table.name, ...here });
  }
  return checked;
}

async function hashRows(
  db: Db,
  table: TableToMove,
  onRows: (rows: number) => void,
): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const rows of readRows(db, table)) {
    for (const row of rows) hash.update(`${canonical(row, table)}\n`);
    done += rows.length;
    onRows(done);
  }
  return { rows: done, sha256: hash.digest('hex') };
}

/** Both drivers return times as ISO 8601 with milliseconds, JSON as text and integers as numbers. */
function canonical(row: Row, { columns }: TableToMove): string {
  return JSON.stringify(columns.map((column) => row[column]));
}

/** The key of the first differing row, such as `app_id = 01a1…, id = 01a2…`. */
async function findDifference(here: Db, there: Db, table: TableToMove): Promise<string> {
  const others = eachRow(there, table);
  for await (const row of eachRow(here, table)) {
    const { value: other } = await others.next();
    if (other === undefined || canonical(row, table) !== canonical(other, table))
      return describeKey(row, table);
  }
  const { value: other } = await others.next();
  return other === undefined ? 'no row any more' : describeKey(other, table);
}

async function* eachRow(db: Db, table: TableToMove): AsyncGenerator<Row, undefined> {
  for await (const rows of readRows(db, table)) yield* rows;
}

function describeKey(row: Row, { key }: TableToMove): string {
  return key.map((column) => `${column} = ${row[column]}`).join(', ');
}
