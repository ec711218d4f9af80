import type { Insertable, Selectable } from 'kysely';
import type { Db, FormerSecretsTable } from '../db/index.ts';

export type FormerRow = Selectable<FormerSecretsTable>;

/** The mark of the present root secret; null before the first start. */
export async function findMark(db: Db): Promise<string | null> {
  const bootstrap = await db
    .selectFrom('bootstraps')
    .select('secret_mark')
    .where('id', '=', 1)
    .executeTakeFirst();
  return bootstrap?.secret_mark ?? null;
}

/** False if another process was faster. */
export async function replaceMark(db: Db, from: string, to: string): Promise<boolean> {
  const updated = await db
    .updateTable('bootstraps')
    .set({ secret_mark: to })
    .where('id', '=', 1)
    .where('secret_mark', '=', from)
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
}

/** The newest first. */
export async function listFormer(db: Db): Promise<FormerRow[]> {
  return await db
    .selectFrom('former_secrets')
    .selectAll()
    .orderBy('replaced_at', 'desc')
    .orderBy('mark')
    .execute();
}

export async function replaceFormer(db: Db, rows: readonly Insertable<FormerSecretsTable>[]): Promise<void> {
  await db.deleteFrom('former_secrets').execute();
  if (rows.length > 0) await db.insertInto('former_secrets').values(rows).execute();
}

/** Of the secrets that were replaced by then: another rotation may have begun meanwhile. */
export async function setReencrypted(
  db: Db,
  { replacedAt, at }: { replacedAt: string; at: string },
): Promise<void> {
  await db
    .updateTable('former_secrets')
    .set({ reencrypted_at: at })
    .where('reencrypted_at', 'is', null)
    .where('replaced_at', '<=', replacedAt)
    .execute();
}
