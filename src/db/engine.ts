/** SQL that the two engines spell differently, by the engine of a database or transaction. */
import { type DialectAdapter, type Expression, type SqlBool, sql } from 'kysely';
import type { JsonRows } from './many-rows.ts';
import type { Db, Transaction } from './store.ts';

/** Each engine's Kysely adapter, which transactions share with their database. */
export interface Engine extends DialectAdapter {
  /** Whether other processes may write to the same database. */
  readonly isShared: boolean;
  /** How a statement reads rows of the table from JSON. */
  jsonRows(db: Db, table: string): Promise<JsonRows>;
  isAmong(column: string, ids: readonly string[] | Expression<unknown>): Expression<SqlBool>;
  isAmongTexts(column: string, texts: readonly string[]): Expression<SqlBool>;
  jsonText(json: Expression<unknown>, field: string): Expression<string | null>;
  useCustomPlan(tx: Transaction): Promise<void>;
}

export function engineOf(db: Db): Engine {
  return db.getExecutor().adapter as Engine;
}

/** Whether other processes may write to the same database. */
export function isShared(db: Db): boolean {
  return engineOf(db).isShared;
}

/**
 * Whether a UUID column is in a list (passed as one parameter) or in the result of a subquery, which runs first. Forces
 * a lookup by the column's index, whatever the planner's estimates.
 */
export function isAmong(
  db: Db,
  column: string,
  ids: readonly string[] | Expression<unknown>,
): Expression<SqlBool> {
  return engineOf(db).isAmong(column, ids);
}

/** Whether a column of text is in a list, which is passed as one parameter. */
export function isAmongTexts(db: Db, column: string, texts: readonly string[]): Expression<SqlBool> {
  return engineOf(db).isAmongTexts(column, texts);
}

/** The text in a field of a column of JSON, or of text with JSON; null without it. */
export function jsonText(db: Db, json: Expression<unknown>, field: string): Expression<string | null> {
  return engineOf(db).jsonText(json, field);
}

/** Plans the transaction's statements with their parameters: a generic plan from an empty table scans a full one. */
export async function useCustomPlan(tx: Transaction): Promise<void> {
  await engineOf(tx).useCustomPlan(tx);
}

/** Waits for the transactions of other processes that hold the same lock. SQLite runs one writing transaction at a time. */
export async function lockUntilCommit(tx: Transaction, name: string): Promise<void> {
  if (isShared(tx)) await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx);
}
