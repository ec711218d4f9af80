import { sql } from 'kysely';
import { isShared } from './engine.ts';
import type { Transaction } from './store.ts';

/** Waits for the transactions of other processes that hold the same lock. SQLite runs one writing transaction at a time. */
export async function lockUntilCommit(tx: Transaction, name: string): Promise<void> {
  if (isShared(tx)) await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx);
}
