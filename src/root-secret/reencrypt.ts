import { sql } from 'kysely';
import type { Database, Db } from '../db/index.ts';
import type { Secrets } from '../lib/secrets.ts';

/** An encrypted column, with the owner that its encryption is bound to. */
export interface SealedColumn {
  readonly table: keyof Database;
  readonly column: string;
  /** The column of the app. */
  readonly app: 'app_id' | 'id';
  ownerOf(row: { readonly app_id: string; readonly id: string }): string;
}

/** Few, so that no transaction is long. */
export const ROWS_PER_BATCH = 200;

export interface Reencrypted {
  readonly changed: number;
  /** Of an unknown secret: they must be set again by hand. */
  readonly unreadable: number;
}

interface SealedRow {
  readonly app_id: string;
  readonly id: string;
  readonly value: string;
}

/**
 * Encrypts again what was encrypted under another root secret than the present one. Values that are changed meanwhile stay
 * as they were set, so that it can run beside other processes and again after a crash.
 * @param goOn called after each batch; throws to end it.
 */
export async function reencrypt(
  { db, secrets }: { db: Db; secrets: Secrets },
  columns: readonly SealedColumn[],
  goOn: () => Promise<void> = async () => undefined,
): Promise<Reencrypted> {
  let [changed, unreadable] = [0, 0];
  for (const column of columns)
    for (let after: SealedRow | null = null; ; ) {
      const rows = await listSealed(db, column, after);
      const old = rows.filter((row) => !secrets.isOfPresent(row.value, column.ownerOf(row)));
      const renewed = old.flatMap((row) => {
        const text = secrets.decrypt(row.value, column.ownerOf(row));
        return text === null ? [] : [{ ...row, sealed: secrets.encrypt(text, column.ownerOf(row)) }];
      });
      unreadable += old.length - renewed.length;
      changed += renewed.length;
      if (renewed.length > 0)
        await db.transaction().execute(async (tx) => {
          for (const { sealed, ...row } of renewed) await replaceSealed(tx, column, row, sealed);
        });
      await goOn();
      after = rows.at(-1) ?? null;
      if (rows.length < ROWS_PER_BATCH) break;
    }
  return { changed, unreadable };
}

/** By app and ID. */
async function listSealed(
  db: Db,
  { table, column, app }: SealedColumn,
  after: SealedRow | null,
): Promise<SealedRow[]> {
  const [appId, id] = [sql.ref(app), sql.ref('id')];
  const isAfter = after === null ? sql`` : sql`and (${appId}, ${id}) > (${after.app_id}, ${after.id})`;
  const { rows } = await sql<SealedRow>`
    select ${appId} as app_id, ${id} as id, ${sql.ref(column)} as value from ${sql.table(table)}
    where ${sql.ref(column)} is not null ${isAfter}
    order by ${appId}, ${id} limit ${sql.lit(ROWS_PER_BATCH)}`.execute(db);
  return rows;
}

async function replaceSealed(
  tx: Db,
  { table, column, app }: SealedColumn,
  { app_id, id, value }: SealedRow,
  sealed: string,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
    where ${sql.ref(app)} = ${app_id} and id = ${id} and ${sql.ref(column)} = ${value}`.execute(tx);
}
