import { type Db, isAmong } from '../../db/index.ts';
import { isoTime } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import { APPLE_ADS_TYPE } from '../../webhooks/index.ts';

/** The tokens of installs that Apple has not answered, as they are stored, for an export of personal data. */
export async function listWaitingTokens(db: Db, appId: string, installIds: readonly string[]) {
  if (installIds.length === 0) return [];
  const messages = await db
    .selectFrom('webhook_messages')
    .select(['id', 'record_id', 'body', 'sandbox'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'record_id', installIds))
    .where('event_type', '=', APPLE_ADS_TYPE)
    .where('body', '<>', '')
    .execute();
  return messages.map(({ id, record_id: installId, body: token, sandbox }) => ({
    ...{ id, installId, token, sandbox: sandbox === 1 },
    receivedAt: isoTime(uuidTimeMs(id) ?? 0),
  }));
}
