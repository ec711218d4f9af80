import { setTimeout as sleep } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import type { Db } from '../platform/db/index.ts';
import type { GoOn } from '../platform/loop.ts';
import { gathered, type Person, type PersonalTable } from '../platform/personal-data.ts';
import { eraseMessages } from '../webhooks/index.ts';
import { growingBatches } from './growing-batches.ts';
import type { AnyPersonalData } from './manifest.ts';
import { type ErasureRequest, findErasureRequest, updateErasureRequest } from './queries.ts';
import { withoutStrangers } from './strangers.ts';

/**
 * Scrubs a person's records of one kind, some at a time, each time in a transaction of its own, so that others get theirs
 * in between; and with them what webhooks were told of them. Done again, it changes nothing.
 */
export async function eraseRecords(
  ctx: Ctx,
  {
    request,
    person,
    data,
    goOn,
  }: { request: ErasureRequest; person: Person; data: AnyPersonalData; goOn: GoOn },
): Promise<void> {
  const found = idsToErase(ctx, { person, data, goOn });
  for await (const ids of growingBatches(found, MOST_AT_ONCE[data.table])) {
    await inTransaction(ctx, async (tx) => {
      const count = await scrub(tx, { appId: person.appId, data, ids });
      const messages = await eraseMessages(tx, person.appId, ids);
      await addCounts(tx.db, request, { [data.exportedAs]: count, webhookMessages: messages });
    });
    await sleep(PAUSE_MS);
  }
}

/** Other requests have the event loop and the database to themselves in between. */
const PAUSE_MS = 10;
/** Records of one transaction: SQLite's only writer is held up by it, and an event may have 32 KiB. */
const MOST_AT_ONCE: Readonly<Record<PersonalTable, number>> = {
  clicks: 1_000,
  installs: 500,
  opens: 500,
  events: 100,
};

async function* idsToErase(
  ctx: Ctx,
  { person, data, goOn }: { person: Person; data: AnyPersonalData; goOn: GoOn },
): AsyncGenerator<string[]> {
  for await (const found of gathered(data.find(ctx, person), goOn)) {
    const rows = await withoutStrangers(ctx, person, data, found);
    yield rows.map(({ id }: { id: string }) => id);
  }
}

/** Gives how many records held anything. */
async function scrub(
  tx: Ctx,
  { appId, data, ids }: { appId: string; data: AnyPersonalData; ids: readonly string[] },
): Promise<number> {
  const scrubbed = await tx.db
    .updateTable<PersonalTable>(data.table)
    .set(data.erased)
    .where('app_id', '=', appId)
    .where(tx.store.isAmong('id', ids))
    .where(holdsAnything(data))
    .returning('id')
    .execute();
  return scrubbed.length;
}

function holdsAnything({ erased }: AnyPersonalData): Expression<SqlBool> {
  const columns = Object.entries(erased).map(([column, value]) =>
    value === null
      ? sql<SqlBool>`${sql.ref(column)} is not null`
      : sql<SqlBool>`cast(${sql.ref(column)} as text) <> ${value}`,
  );
  return sql<SqlBool>`(${sql.join(columns, sql` or `)})`;
}

async function addCounts(
  db: Db,
  request: ErasureRequest,
  added: Readonly<Record<string, number>>,
): Promise<void> {
  const stored = await findErasureRequest(db, request.app_id, request.id);
  const counts = JSON.parse(stored?.counts ?? '{}') as Record<string, number>;
  for (const [kind, count] of Object.entries(added)) counts[kind] = (counts[kind] ?? 0) + count;
  await updateErasureRequest(db, request, { counts: JSON.stringify(counts) });
}
