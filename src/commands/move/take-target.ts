import { sql } from 'kysely';
import { listTableNames } from '../../db/list-table-names.ts';
import type { Db, Store } from '../../db/store.ts';
import { StartError } from '../../errors.ts';
import type { MovesTable } from '../../schema/tables.ts';
import type { TableToMove } from './list-tables.ts';

/** The record of a move in the PostgreSQL database. */
export type Move = Omit<MovesTable, 'id'>;

/**
 * Runs `work` under an advisory lock on the PostgreSQL database, which the server releases when the process dies.
 * @throws StartError while another process holds the lock.
 */
export async function holdDatabase<T>(database: Store, work: () => Promise<T>): Promise<T> {
  return await database.db.connection().execute(async (connection) => {
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_lock(hashtext('throughline db move')) as held`.execute(connection);
    if (rows[0]?.held !== true)
      throw new StartError(
        'Another “throughline db move” is working on the database of DATABASE_URL. Wait until it ends.',
      );
    return await work();
  });
}

/** The last move to or from the database, also one without the newest migrations; null if there was none. */
export async function findMove({ db }: Store): Promise<Move | null> {
  if (!(await listTableNames(db)).has('moves')) return null;
  return (await db.selectFrom('moves').selectAll().executeTakeFirst()) ?? null;
}

/** @throws StartError if any table has a row. */
export async function assertEmpty({ db }: Pick<Store, 'db'>, tables: readonly TableToMove[]): Promise<void> {
  const there = await listTableNames(db);
  for (const { name } of tables.filter((table) => there.has(table.name))) {
    const row = await db.selectFrom(name).select(sql`1`.as('one')).limit(1).executeTakeFirst();
    if (row !== undefined)
      throw new StartError(
        `The database of DATABASE_URL already has data (table ${name}). Use an empty database.`,
      );
  }
}

/**
 * Marks the target as incomplete and deletes the rows of an earlier, unfinished move.
 * @param isFirst whether no earlier move began, so that existing rows belong to a service.
 * @throws StartError if there are such rows; the target is then unchanged.
 */
export async function beginMove(
  target: Store,
  { moveId, now, tables, isFirst }: NewMove & { tables: readonly TableToMove[]; isFirst: boolean },
): Promise<void> {
  // A statement of a killed process may still be running.
  await target.waitForTransactions(async () => undefined);
  await target.withoutTimeout((db) =>
    db.transaction().execute(async (tx) => {
      if (isFirst) {
        // A service that starts now would create its first app.
        await sql`lock table apps in share row exclusive mode`.execute(tx);
        await assertEmpty({ db: tx }, tables);
      }
      await emptyAndMark(tx, { moveId, now, tables });
    }),
  );
}

interface NewMove {
  readonly moveId: string;
  readonly now: string;
}

async function emptyAndMark(
  tx: Db,
  { moveId, now, tables }: NewMove & { tables: readonly TableToMove[] },
): Promise<void> {
  await sql`truncate table ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(tx);
  await writeMove(tx, { move_id: moveId, began_at: now, ended_at: null, target: null });
}

/** In place of the last one. */
export async function writeMove(db: Db, move: Move): Promise<void> {
  await db
    .insertInto('moves')
    .values({ id: 1, ...move })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(move))
    .execute();
}

/** Marks the target as complete. @throws StartError if another move began since. */
export async function endMove({ db }: Store, { moveId, now }: NewMove): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('moves')
    .set({ ended_at: now })
    .where('move_id', '=', moveId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new StartError(
      'Another “throughline db move” has started on the database of DATABASE_URL. Wait until it ends.',
    );
}
