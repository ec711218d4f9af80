import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { isDataFault } from '../faults.ts';
import { type CountPlan, planCounts, RowSums } from '../row-sums.ts';
import { linesOf, readRow, type TextRow, toRowText } from '../row-text.ts';
import type { RowTarget } from '../store.ts';
import { type ColumnTypesByName, jsonRowsOf } from './json-rows.ts';

/**
 * Copies rows into a table, which costs the database three fifths of what a statement does; where it refuses one of them,
 * a statement looks at each: see `Store.insertRowTexts`.
 */
export async function insertRowTexts(
  pool: pg.Pool,
  typesOf: (table: string) => Promise<ColumnTypesByName>,
  into: RowTarget,
  texts: readonly Uint8Array[],
): Promise<void> {
  const types = await typesOf(into.table);
  const plan = into.counts === undefined ? null : planCounts(into.counts, into.columns);
  const countTypes = plan === null ? types : await typesOf(plan.table);
  const count = (client: pg.PoolClient, lines: Iterable<string>) =>
    plan === null ? undefined : addCounts(client, plan, countTypes, lines);
  try {
    await inTransaction(pool, async (client) => {
      await copy(client, into, texts);
      await count(client, linesIn(texts));
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await inTransaction(pool, async (client) => {
      const rows = await insertNew(client, into, types, texts);
      await count(client, rows.map(toRowText));
    });
  }
}

/**
 * A row is there already, is short, or is none that the table takes. What a node of a Citus cluster says of a copy comes
 * without its code: the statement that follows fails too where it was something else.
 */
function isRefusal(error: unknown): boolean {
  return isDataFault(error) || (error instanceof pg.DatabaseError && error.routine === 'ReportCopyError');
}

/** One that fails goes with its connection, which needs no further trip. */
async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  let isDone = false;
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
    isDone = true;
  } finally {
    client.release(!isDone);
  }
}

async function copy(
  client: pg.PoolClient,
  { table, columns }: RowTarget,
  texts: readonly Uint8Array[],
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  // The server refuses while rows are still on their way, and the stream would go on writing to what it has let go of.
  stream.once('error', () => socketOf(client).destroy());
  for (const text of texts) stream.write(text);
  await finished(stream.end());
}

/** `pg` has it, and says so nowhere. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { connection: { stream: Socket } }).connection.stream;
}

/** Gives the rows that were not there already. */
async function insertNew(
  client: pg.PoolClient,
  { table, columns }: RowTarget,
  types: ColumnTypesByName,
  texts: readonly Uint8Array[],
): Promise<TextRow[]> {
  const { value, before, after } = jsonRowsOf(types);
  const text = `insert into ${table} (${columns.join(', ')})
    select ${columns.map(value).join(', ')} from ${before}$1${after} as r on conflict do nothing
    returning ${columns.map((column) => `${column}::text`).join(', ')}`;
  const values = [JSON.stringify(Array.from(linesIn(texts), readRow))];
  return (await client.query<TextRow>({ text, values, rowMode: 'array' })).rows;
}

/**
 * The counts come last, so that their rows are locked for no longer than the commit takes, and in the order of their key,
 * so that two transactions never both wait for each other.
 */
async function addCounts(
  client: pg.PoolClient,
  plan: CountPlan,
  types: ColumnTypesByName,
  lines: Iterable<string>,
): Promise<void> {
  const { table, keyColumns, sum } = plan;
  const sums = new RowSums(plan);
  for (const line of lines) sums.add(line);
  const key = keyColumns.join(', ');
  const { value, before, after } = jsonRowsOf(types);
  await client.query(
    `insert into ${table} (${key}, ${sum})
      select ${[...keyColumns, sum].map(value).join(', ')} from ${before}$1${after} as r
      order by ${keyColumns.map((_, place) => place + 1).join(', ')}
      on conflict (${key}) do update set ${sum} = ${table}.${sum} + excluded.${sum}`,
    [JSON.stringify([...sums.counts()])],
  );
}

function* linesIn(texts: readonly Uint8Array[]): Generator<string> {
  const utf8 = new TextDecoder();
  for (const text of texts) yield* linesOf(utf8.decode(text));
}
