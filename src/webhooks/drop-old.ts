import { deleteOldAuditEntries } from '../audit/index.ts';
import { type Db, dropForEachApp, dropOldRows, type ForEachApp, isAmong, logDropped } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import {
  DELIVERY_FAILED,
  deleteIdleReceivers,
  deleteOldFailures,
  deleteOldResults,
  dropOldPending,
} from './attempts/index.ts';
import { NO_TEXT } from './personal-data.ts';

/**
 * Drops messages and attempts, also due ones, from before a time. A repeated attempt of an older message may remain;
 * `attempts/claim-due.ts` drops it once it is due.
 * @returns false if a later call has to drop the rest.
 */
export async function dropOldMessages(
  { db, store, log }: Pick<Foundation, 'db' | 'store' | 'log'>,
  beforeMs: number,
  forEachApp: ForEachApp,
): Promise<boolean> {
  await dropForEachApp({ log }, { table: 'webhook_queue', beforeMs, forEachApp }, (appId, limit) =>
    dropOldPending(db, appId, { beforeMs, limit }),
  );
  await dropForEachApp({ log }, { table: 'webhook_failures', beforeMs, forEachApp }, (appId) =>
    deleteOldFailures(db, appId, { beforeMs }),
  );
  await dropForEachApp({ log }, { table: 'webhook_hours', beforeMs, forEachApp }, (appId) =>
    deleteOldResults(db, appId, { beforeMs }),
  );
  const idle = await deleteIdleReceivers(db, beforeMs);
  logDropped({ log }, { table: 'webhook_receivers', rows: idle, before: isoTime(beforeMs) });
  await forEachApp((appId, limit) => eraseResponsesToOldMessages(db, appId, { beforeMs, limit }));
  // These entries name attempts that are dropped below.
  for (const action of [DELIVERY_FAILED, 'destination.delivery_failed'])
    await dropForEachApp({ log }, { table: 'audit_log', beforeMs, forEachApp }, (appId, limit) =>
      deleteOldAuditEntries(db, appId, { action, beforeMs, limit }),
    );
  const areGone = await dropOldRows({ db, store, log }, 'webhook_attempts', { beforeMs, forEachApp });
  // After the attempts: an erasure finds responses by their message.
  return areGone && (await dropOldRows({ db, store, log }, 'webhook_messages', { beforeMs, forEachApp }));
}

/**
 * Erases some responses of recent attempts to old messages: once the message is dropped, no erasure would find them.
 * @returns the number erased; 0 when none is left.
 */
async function eraseResponsesToOldMessages(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const before = leastIdAt(beforeMs);
  const late = db
    .selectFrom('webhook_attempts')
    .select('id')
    .where('app_id', '=', appId)
    .where('message_id', '<', before)
    .where('id', '>=', before)
    .where('response_body', '<>', NO_TEXT)
    .limit(limit);
  const { numUpdatedRows } = await db
    .updateTable('webhook_attempts')
    .set({ response_body: '' })
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', late))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** For how many days messages must be kept, so that none is dropped between its attempts. */
export async function minMessageDays(db: Db): Promise<number> {
  const extended = await db
    .selectFrom('webhooks')
    .select('id')
    .where('retries', '=', 'extended')
    .limit(1)
    .executeTakeFirst();
  return extended === undefined ? 1 : 4;
}

/** Deletes the former secrets of an app's webhooks whose rotation is over. @returns the number deleted. */
export async function deleteExpiredSecrets(
  { db, clock }: Pick<Foundation, 'db' | 'clock'>,
  appId: string,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set({ former_secret: null, former_secret_until: null })
    .where('app_id', '=', appId)
    .where('former_secret_until', '<=', isoTime(clock.nowMs()))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
