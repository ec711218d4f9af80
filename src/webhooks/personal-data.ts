/** Personal data of webhooks: the bodies of messages and of the receivers' responses. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, isAmong, type Transaction } from '../db/index.ts';
import { DAY_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import type { Heartbeat } from '../lib/loop.ts';
import { listInFlight } from './attempts/index.ts';
import { DESTINATION_MESSAGES } from './webhook.ts';

/** A literal, since planners match partial indexes on empty bodies against literals only. */
export const NO_TEXT = sql.lit('');

const POLL_INTERVAL_MS = 50;
const RESPONSES_AT_ONCE = 500;
/** Bounds an attempt, including the wait for an unavailable database to record it. */
const MAX_ATTEMPT_MS = DAY_MS;

/** Erases the messages about records and the responses to them. Due attempts of these messages are not sent. */
export async function eraseMessages(
  tx: Transaction,
  appId: string,
  recordIds: readonly string[],
): Promise<number> {
  const erased = await tx
    .updateTable('webhook_messages')
    .set({ body: '' })
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'record_id', recordIds))
    .where('body', '!=', '')
    .returning('id')
    .execute();
  await eraseResponses(tx, appId, erased);
  return erased.length;
}

/**
 * Removes inviters from the messages about records of others, and the responses to these. Due attempts are made, without
 * the inviter.
 * @param recordIds at most some hundred.
 */
export async function forgetInMessages(
  tx: Transaction,
  appId: string,
  { recordIds, installIds }: { recordIds: readonly string[]; installIds: readonly string[] },
): Promise<void> {
  if (recordIds.length === 0) return;
  const messages = await tx
    .selectFrom('webhook_messages')
    .select(['id', 'body'])
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'record_id', recordIds))
    .where('body', '<>', NO_TEXT)
    .execute();
  const named = messages.flatMap(({ id, body }) => {
    const inviter = installIds.find((installId) => body.includes(fieldOf(installId)));
    return inviter === undefined ? [] : [{ id, body: body.replace(fieldOf(inviter), '"invitedBy":null') }];
  });
  for (const { id, body } of named)
    await tx
      .updateTable('webhook_messages')
      .set({ body })
      .where('app_id', '=', appId)
      .where('id', '=', id)
      .execute();
  await eraseResponses(tx, appId, named);
}

/** As messages have it; a text in quotes has backslashes, so that no other field is mistaken for it. */
function fieldOf(installId: string): string {
  return `"invitedBy":"${installId}"`;
}

/** The number of messages about each record that `eraseMessages` would erase; records without one are missing. */
export async function countMessages(
  db: Db,
  appId: string,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('webhook_messages')
    .select(({ fn }) => ['record_id', fn.countAll<number>().as('messages')])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'record_id', recordIds))
    .where('body', '!=', '')
    .groupBy('record_id')
    .execute();
  return new Map(rows.map(({ record_id, messages }) => [record_id ?? '', messages]));
}

/**
 * Waits for attempts in flight that send erased messages, and erases the responses that they recorded since.
 * @param sinceMs the time of the erasure.
 */
export async function eraseLateResponsesInFlight(
  db: Db,
  { appId, sinceMs }: { appId: string; sinceMs: number },
  goOn: Heartbeat,
): Promise<void> {
  const firstAttemptId = leastIdAt(sinceMs - MAX_ATTEMPT_MS);
  while (await isErasedInFlight(db, appId)) {
    await goOn();
    await sleep(POLL_INTERVAL_MS);
  }
  await eraseReasonsOfBatches(db, appId, goOn);
  for (;;) {
    const answered = await db
      .selectFrom('webhook_messages as m')
      .select('m.id')
      .where('m.app_id', '=', appId)
      .where('m.body', '=', NO_TEXT)
      // Not a join: SQLite would begin with the attempts, of which there are far more.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhook_attempts as a')
            .select('a.id')
            .whereRef('a.app_id', '=', 'm.app_id')
            .whereRef('a.message_id', '=', 'm.id')
            .where('a.id', '>=', firstAttemptId)
            .where('a.response_body', '<>', NO_TEXT),
        ),
      )
      .limit(RESPONSES_AT_ONCE)
      .execute();
    await eraseResponses(db, appId, answered);
    if (answered.length < RESPONSES_AT_ONCE) break;
  }
}

/**
 * What networks said of the records of batches, which may repeat what they were sent: a batch does not tell whose records
 * it had. Batches in flight may have read records before their erasure.
 */
async function eraseReasonsOfBatches(db: Db, appId: string, goOn: Heartbeat): Promise<void> {
  const before = await listBatchesInFlight(db, appId);
  while ((await listBatchesInFlight(db, appId)).some((id) => before.includes(id))) {
    await goOn();
    await sleep(POLL_INTERVAL_MS);
  }
  for (;;) {
    await goOn();
    const told = db
      .selectFrom('webhook_attempts')
      .select('id')
      .where('app_id', '=', appId)
      .where('event_type', 'in', DESTINATION_MESSAGES)
      .where('response_body', '<>', NO_TEXT)
      .limit(RESPONSES_AT_ONCE);
    const { numUpdatedRows } = await db
      .updateTable('webhook_attempts')
      .set({ response_body: '' })
      .where('app_id', '=', appId)
      .where(isAmong(db, 'id', told))
      .executeTakeFirstOrThrow();
    if (Number(numUpdatedRows) < RESPONSES_AT_ONCE) break;
  }
}

/** Ids of attempts. */
async function listBatchesInFlight(db: Db, appId: string): Promise<string[]> {
  const inFlight = (await listInFlight(db)).filter(({ app_id }) => app_id === appId);
  if (inFlight.length === 0) return [];
  const destinations = await db
    .selectFrom('webhooks')
    .select('id')
    .where('app_id', '=', appId)
    .where('kind', '=', 'destination')
    .execute();
  const ids = new Set(destinations.map(({ id }) => id));
  return inFlight.filter(({ webhook_id }) => ids.has(webhook_id)).map(({ id }) => id);
}

async function isErasedInFlight(db: Db, appId: string): Promise<boolean> {
  const messageIds = (await listInFlight(db)).map(({ message_id }) => message_id);
  const erased = await db
    .selectFrom('webhook_messages')
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', messageIds))
    .where('body', '=', NO_TEXT)
    .executeTakeFirst();
  return erased !== undefined;
}

async function eraseResponses(db: Db, appId: string, messages: readonly { id: string }[]): Promise<void> {
  if (messages.length === 0) return;
  const messageIds = messages.map(({ id }) => id);
  await db
    .updateTable('webhook_attempts')
    .set({ response_body: '' })
    .where('app_id', '=', appId)
    .where(isAmong(db, 'message_id', messageIds))
    .where('response_body', '<>', NO_TEXT)
    .execute();
}
