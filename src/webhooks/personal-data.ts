/** What webhooks were told may hold a person's data, and so may what receivers answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { leastIdAt } from '../platform/ids.ts';
import type { GoOn } from '../platform/loop.ts';

/** Written into the statements: only so do the databases see that the indexes of what is not empty, or is, cover them. */
const NOTHING = sql.lit('');

/** Takes what was told of records, and what was answered to it, out of the log. What of it still waits is not sent. */
export async function eraseMessages(tx: Ctx, appId: string, recordIds: readonly string[]): Promise<number> {
  const erased = await tx.db
    .updateTable('webhook_messages')
    .set({ body: '' })
    .where('app_id', '=', appId)
    .where(tx.store.isAmong('record_id', recordIds))
    .where('body', '!=', '')
    .returning('id')
    .execute();
  await eraseAnswers(
    tx,
    appId,
    erased.map(({ id }) => id),
  );
  return erased.length;
}

const LOOK_AGAIN_MS = 50;
const ANSWERS_AT_ONCE = 500;
/** Longer than an attempt takes, and than a process waits for the database to record how it ended. */
const LONGEST_ATTEMPT_MS = DAY_MS;

/**
 * Waits until no attempt is under way that sends what was erased, and takes out what receivers answered to it: an attempt
 * that was under way when its message was erased has recorded its answer after that.
 * @param sinceMs from when on it was erased.
 */
export async function settleErased(
  ctx: Ctx,
  { appId, sinceMs }: { appId: string; sinceMs: number },
  goOn: GoOn,
): Promise<void> {
  const firstAttemptId = leastIdAt(sinceMs - LONGEST_ATTEMPT_MS);
  while (await isErasedUnderWay(ctx, appId)) {
    await goOn();
    await sleep(LOOK_AGAIN_MS);
  }
  for (;;) {
    const answered = await ctx.db
      .selectFrom('webhook_messages as m')
      .select('m.id')
      .where('m.app_id', '=', appId)
      .where('m.body', '=', NOTHING)
      // Not a join: SQLite would begin with whatever was answered, which is far more.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhook_attempts as a')
            .select('a.id')
            .whereRef('a.app_id', '=', 'm.app_id')
            .whereRef('a.message_id', '=', 'm.id')
            .where('a.id', '>=', firstAttemptId)
            .where('a.response_body', '<>', NOTHING),
        ),
      )
      .limit(ANSWERS_AT_ONCE)
      .execute();
    await eraseAnswers(
      ctx,
      appId,
      answered.map(({ id }) => id),
    );
    if (answered.length < ANSWERS_AT_ONCE) break;
  }
}

async function isErasedUnderWay(ctx: Ctx, appId: string): Promise<boolean> {
  const underWay = await ctx.db
    .selectFrom('webhook_attempts_under_way as a')
    .innerJoin('webhook_messages as m', (join) =>
      join.onRef('m.app_id', '=', 'a.app_id').onRef('m.id', '=', 'a.message_id'),
    )
    .select('m.id')
    .where('a.app_id', '=', appId)
    .where('m.body', '=', NOTHING)
    .limit(1)
    .executeTakeFirst();
  return underWay !== undefined;
}

/** Takes what was answered to some messages out of the log. */
async function eraseAnswers(ctx: Ctx, appId: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return;
  await ctx.db
    .updateTable('webhook_attempts')
    .set({ response_body: '' })
    .where('app_id', '=', appId)
    .where(ctx.store.isAmong('message_id', messageIds))
    .where('response_body', '<>', NOTHING)
    .execute();
}

/**
 * Takes out some of what was answered, to an attempt made since, to an app's messages from before, which are about to be
 * dropped: no erasure would find an answer without its message.
 * @returns how many: none when none is left.
 */
export async function eraseLateAnswers(
  { db, store }: Ctx,
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
    .where('response_body', '<>', NOTHING)
    .limit(limit);
  const { numUpdatedRows } = await db
    .updateTable('webhook_attempts')
    .set({ response_body: '' })
    .where('app_id', '=', appId)
    .where(store.isAmong('id', late))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
