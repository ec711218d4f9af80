import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { isDataFault } from '../faults.ts';
import { type CountPlan, planCounts, RowSums } from '../row-sums.ts';
import { linesOf, readRow, type TextRow, toRowText } from '../row-text.ts';
import type { RowTarget } from '../store.ts';
import { type ColumnTypesByName, jsonRowsOf } from './engine.ts';

/**
 * See `Store.insertRowTexts`. `COPY` costs three fifths of an `insert`, but fails as a whole; then an `insert` with `on
 * conflict` follows.
 */
export async function insertRowTexts(
  pool: pg.Pool,
  typesOf: (table: string) => Promise<ColumnTypesByName>,
  into: RowTarget,
  texts: readonly Uint8Array[],
): Promise<void> {
  const types = await typesOf(into.table);
  const plan = into.counts === undefined ? null : planCounts(into.counts, into.columns);
  const count = (client: pg.PoolClient, lines: Iterable<string>) =>
    plan === null ? undefined : addCounts(client, plan, lines);
  try {
    await inTransaction(pool, into, async (client) => {
      await copyRows(client, into, texts);
      await count(client, linesIn(texts));
    });
  } catch (error) {
    if (!isRejectedRow(error)) throw error;
    await inTransaction(pool, into, async (client) => {
      const rows = await insertNew(client, into, types, texts);
      await count(client, rows.map(toRowText));
    });
  }
}

/** Includes all errors of a Citus node, which arrive without their code; the `insert` fails again if it was another error. */
function isRejectedRow(error: unknown): boolean {
  return isDataFault(error) || isCopyFault(error);
}

/** Of a Citus node. */
export function isCopyFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'ReportCopyError';
}

/** Closes the connection of a failed transaction, which saves the round trip of a rollback. */
async function inTransaction(
  pool: pg.Pool,
  { timeoutMs }: RowTarget,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  let isCommitted = false;
  try {
    await client.query(
      timeoutMs === undefined ? 'begin' : `begin; set local statement_timeout = ${timeoutMs}`,
    );
    await work(client);
    await client.query('commit');
    isCommitted = true;
  } finally {
    client.release(!isCommitted);
  }
}

export async function copyRows(
  client: pg.PoolClient,
  { table, columns }: Pick<RowTarget, 'table' | 'columns'>,
  texts: readonly Uint8Array[],
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  // After an error of the server the stream would go on writing to a released client.
  stream.once('error', () => socketOf(client).destroy());
  for (const text of texts) stream.write(text);
  await finished(stream.end());
}

/** Not part of `pg`'s public types. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as pg.PoolClient & { connection: { stream: Socket } }).connection.stream;
}

/** @returns the inserted rows, without those whose key existed. */
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

async function addCounts(client: pg.PoolClient, plan: CountPlan, lines: Iterable<string>): Promise<void> {
  const sums = new RowSums(plan);
  for (const line of lines) sums.add(line);
  const text = `insert into ${plan.table} (${plan.columns.join(', ')}) values ($1, $2)`;
  for (const values of sums.lists()) await client.query(text, values);
}

function* linesIn(texts: readonly Uint8Array[]): Generator<string> {
  const utf8 = new TextDecoder();
  for (const text of texts) yield* linesOf(utf8.decode(text));
}
