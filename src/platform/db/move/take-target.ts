import { sql } from 'kysely';
import { StartError } from '../../errors.ts';
import { listTableNames } from '../list-table-names.ts';
import type { Db, Store } from '../store.ts';
import type { MovesTable } from '../tables.ts';
import type { TableToMove } from './list-tables.ts';

/** A move as its target knows it. */
export type Move = Pick<MovesTable, 'move_id' | 'began_at' | 'ended_at'>;

/**
 * Works on the target as the only one that moves anything there. Should the process die, the target is free again.
 * @throws StartError while another process does.
 */
export async function holdTarget<T>(target: Store, work: () => Promise<T>): Promise<T> {
  return await target.db.connection().execute(async (connection) => {
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_lock(hashtext('throughline db move')) as held`.execute(connection);
    if (rows[0]?.held !== true)
      throw new StartError(
        'Another “throughline db move” is working on the database of DATABASE_URL. Wait until it has ended.',
      );
    return await work();
  });
}

/** The move to a target that was begun last; null where there was none. */
export async function findMove({ db }: Store): Promise<Move | null> {
  if (!(await listTableNames(db)).has('moves')) return null;
  return (
    (await db.selectFrom('moves').select(['move_id', 'began_at', 'ended_at']).executeTakeFirst()) ?? null
  );
}

/** @throws StartError where a row of any table is there, which may be somebody's. */
export async function refuseUnlessEmpty(
  { db }: Pick<Store, 'db'>,
  tables: readonly TableToMove[],
): Promise<void> {
  const there = await listTableNames(db);
  for (const { name } of tables.filter((table) => there.has(table.name))) {
    const row = await db.selectFrom(name).select(sql`1`.as('one')).limit(1).executeTakeFirst();
    if (row !== undefined)
      throw new StartError(
        `The database of DATABASE_URL holds data already (table ${name}), and a move would mix the two. Name an empty database.`,
      );
  }
}

/**
 * Marks the target as one that nobody may serve from, and empties it of what an earlier move left half done.
 * @param isFirst no earlier move was begun: whatever the target holds is somebody's.
 * @throws StartError where that is so; nothing is changed then.
 */
export async function beginMove(
  target: Store,
  { moveId, now, tables, isFirst }: NewMove & { tables: readonly TableToMove[]; isFirst: boolean },
): Promise<void> {
  // A statement that a process sent before it was killed may still be under way.
  await target.settled(async () => undefined);
  await target.patiently((db) =>
    db.transaction().execute(async (tx) => {
      if (isFirst) {
        // A service that started meanwhile would make its first app now.
        await sql`lock table apps in share row exclusive mode`.execute(tx);
        await refuseUnlessEmpty({ db: tx }, tables);
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
  const move = { move_id: moveId, began_at: now, ended_at: null };
  await tx
    .insertInto('moves')
    .values({ id: 1, ...move })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(move))
    .execute();
}

/** From here on the target may be served from. @throws StartError where another move was begun since. */
export async function endMove({ db }: Store, { moveId, now }: NewMove): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('moves')
    .set({ ended_at: now })
    .where('move_id', '=', moveId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new StartError(
      'Another “throughline db move” has begun anew on the database of DATABASE_URL. Wait until it has ended.',
    );
}

/** @throws StartError where a move has not ended: a part of the data is missing, or was not checked. */
export async function refuseUnfinishedMove({ db }: Store): Promise<void> {
  const move = await db
    .selectFrom('moves')
    .select('move_id')
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (move !== undefined)
    throw new StartError(
      'A move to the database of DATABASE_URL was begun and has not ended. Run “throughline db move” again, which starts over.',
    );
}
