import { setTimeout as sleep } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isAmong, type Store, type Transaction } from '../db/index.ts';
import { forgetInviters } from '../installs/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Heartbeat } from '../lib/loop.ts';
import { mergePages, type Person, type PersonalTable } from '../personal-data.ts';
import { eraseMessages } from '../webhooks/index.ts';
import { growingBatches } from './growing-batches.ts';
import type { AnyPersonalData } from './manifest.ts';
import { withoutOtherUsers } from './other-users.ts';
import { type ErasureRequest, findErasureRequest, updateErasureRequest } from './queries.ts';

/**
 * Scrubs a person's records of one kind and the webhook messages about them, in short transactions so that others can
 * write in between. Idempotent.
 */
export async function eraseRecords(
  { db, store, clock }: { db: Db; store: Store; clock: Clock },
  {
    request,
    person,
    data,
    goOn,
  }: { request: ErasureRequest; person: Person; data: AnyPersonalData; goOn: Heartbeat },
): Promise<void> {
  const found = idsToErase(db, { person, data, goOn });
  for await (const ids of growingBatches(found, MAX_BATCH[data.table])) {
    // Before the records: an interrupted erasure finds them again.
    if (data.table === 'installs') await forgetInviters({ db, store }, person.appId, ids, goOn);
    await db.transaction().execute(async (tx) => {
      const now = isoTime(clock.nowMs());
      const count = await scrub(tx, { appId: person.appId, data, ids, now });
      const messages = await eraseMessages(tx, person.appId, ids);
      await addScrubbed(tx, request, { [data.exportedAs]: count, webhookMessages: messages });
    });
    await sleep(PAUSE_MS);
  }
}

/** Leaves the event loop and the database to other requests. */
const PAUSE_MS = 10;
/** Records per transaction, which blocks SQLite's only writer. An event may have 32 KiB. */
const MAX_BATCH: Readonly<Record<PersonalTable, number>> = {
  clicks: 1_000,
  installs: 500,
  opens: 500,
  events: 100,
};

async function* idsToErase(
  db: Db,
  { person, data, goOn }: { person: Person; data: AnyPersonalData; goOn: Heartbeat },
): AsyncGenerator<string[]> {
  for await (const found of mergePages(data.find(db, person), goOn)) {
    const rows = await withoutOtherUsers(db, person, data, found);
    yield rows.map(({ id }: { id: string }) => id);
  }
}

/** @returns the number of records that were not erased, or have new personal data. */
async function scrub(
  tx: Transaction,
  { appId, data, ids, now }: { appId: string; data: AnyPersonalData; ids: readonly string[]; now: string },
): Promise<number> {
  const scrubbed = await tx
    .updateTable<PersonalTable>(data.table)
    .set({ ...data.erased, erased: 1, erased_at: now })
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', ids))
    .where(isUnerased(data))
    .returning('id')
    .execute();
  return scrubbed.length;
}

/** Not erased, or with new personal data. */
export function isUnerased(data: AnyPersonalData): Expression<SqlBool> {
  return sql<SqlBool>`(erased is null or ${hasPersonalData(data)})`;
}

function hasPersonalData({ erased }: AnyPersonalData): Expression<SqlBool> {
  const columns = Object.entries(erased).map(([column, value]) =>
    value === null
      ? sql<SqlBool>`${sql.ref(column)} is not null`
      : sql<SqlBool>`cast(${sql.ref(column)} as text) <> ${value}`,
  );
  return sql<SqlBool>`(${sql.join(columns, sql` or `)})`;
}

/** Adds to what a request has erased. */
export async function addScrubbed(
  db: Db,
  request: ErasureRequest,
  added: Readonly<Record<string, number>>,
): Promise<void> {
  const stored = await findErasureRequest(db, request.app_id, request.id);
  const counts = JSON.parse(stored?.counts ?? '{}') as Record<string, number>;
  for (const [kind, count] of Object.entries(added)) counts[kind] = (counts[kind] ?? 0) + count;
  await updateErasureRequest(db, request, { counts: JSON.stringify(counts) });
}
