/** Deliveries that a recovery brings forward. */
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isAmong, type Transaction } from '../../db/index.ts';
import { IS_DUE } from './queue.ts';

/** Deliveries of a webhook that wait for something else than their first attempt; in a pause, all of them. */
interface WaitingOf {
  readonly appId: string;
  readonly webhookId: string;
  readonly isPaused: boolean;
}

/** Those that no other delivery takes care of. */
function isRecoverable({ isPaused }: WaitingOf): Expression<SqlBool> {
  return isPaused
    ? sql<SqlBool>`is_repeat = 0`
    : sql<SqlBool>`is_repeat = 0 and (failed_attempts > 0 or deferrals > 0)`;
}

/** Messages later than one, by id. */
export async function listWaiting(
  db: Db,
  of: WaitingOf & { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const waiting = await db
    .selectFrom('webhook_deliveries')
    .select('message_id')
    .where('app_id', '=', of.appId)
    .where('webhook_id', '=', of.webhookId)
    .where(IS_DUE)
    .where(isRecoverable(of))
    .where('message_id', '>', of.after)
    .orderBy('message_id')
    .limit(of.limit)
    .execute();
  return waiting.map((row) => row.message_id);
}

/** @returns the messages whose deliveries still waited and are now deleted. */
export async function takeWaiting(
  tx: Transaction,
  of: WaitingOf & { readonly messageIds: readonly string[] },
): Promise<string[]> {
  const taken = await tx
    .deleteFrom('webhook_deliveries')
    .where('app_id', '=', of.appId)
    .where('webhook_id', '=', of.webhookId)
    .where(IS_DUE)
    .where(isRecoverable(of))
    .where(isAmong(tx, 'message_id', of.messageIds))
    .returning('message_id')
    .execute();
  return taken.map((row) => row.message_id);
}
