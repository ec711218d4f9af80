import type { Actor } from '../auth/index.ts';
import { type Db, isAmong } from '../db/index.ts';
import type { IdRange } from '../lib/ids.ts';
import type { AttemptRow } from './queries.ts';
import { OTHER_TYPES } from './webhook.ts';

/** The first attempt of a message comes after at most as many of others. No index has the message of an attempt. */
const ATTEMPTS_SEARCHED = 10_000;

type FoundAttempt = Pick<AttemptRow, 'id' | 'message_id' | 'event_type' | 'started_at'>;

/** Finished attempts with an id in a range, and the first ones of messages with an id in it. */
export async function findDeliveries(
  db: Db,
  { appId, mode }: Actor,
  { range, limit }: { range: IdRange; limit: number },
): Promise<FoundAttempt[]> {
  const inRange = (table: 'webhook_attempts' | 'webhook_messages') =>
    db
      .selectFrom(table as 'webhook_attempts')
      .where('app_id', '=', appId)
      .where('id', '>=', range.from)
      .where('id', '<=', range.to)
      .where('event_type', 'not in', OTHER_TYPES)
      .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
      .orderBy('id', 'desc')
      .limit(limit);
  const attempts = await inRange('webhook_attempts')
    .select(['id', 'message_id', 'event_type', 'started_at'])
    .execute();
  const messages = (await inRange('webhook_messages').select('id').execute()).map(({ id }) => id);
  return [...attempts, ...(await firstAttempts(db, appId, { messages, limit }))];
}

async function firstAttempts(
  db: Db,
  appId: string,
  { messages, limit }: { messages: readonly string[]; limit: number },
): Promise<FoundAttempt[]> {
  const oldest = messages.at(-1);
  if (oldest === undefined) return [];
  const later = db
    .selectFrom('webhook_attempts')
    .select(['id', 'message_id', 'event_type', 'started_at'])
    .where('app_id', '=', appId)
    .where('id', '>', oldest)
    .orderBy('id')
    .limit(ATTEMPTS_SEARCHED);
  return await db
    .selectFrom(later.as('later'))
    .selectAll()
    .where(isAmong(db, 'message_id', messages))
    .orderBy('id')
    .limit(limit)
    .execute();
}
