/** A token on its way to Apple: a message to the app's receiver of kind `apple_ads`, in the transaction of the install. */
import type { InstallsTable, Write } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import { APPLE_ADS_TYPE, type DueAttempt, toDue } from '../../webhooks/index.ts';

/** An app has one such receiver, so that its own ID serves for it. */
function receiverIdOf(appId: string): string {
  return appId;
}

/** Makes sure that apps have their receiver before an install refers to it. */
export function createAppleReceivers({ db, clock, config }: Pick<Foundation, 'db' | 'clock' | 'config'>) {
  const ready = new Set<string>();
  return async (appId: string): Promise<void> => {
    if (ready.has(appId)) return;
    const now = isoTime(clock.nowMs());
    await db
      .insertInto('webhooks')
      .values({
        ...{ app_id: appId, id: receiverIdOf(appId), kind: 'apple_ads', url: config.appleAdsUrl },
        ...{ secret: null, former_secret: null, former_secret_until: null },
        ...{ events: '[]', enabled: 1, sandbox_only: 0, template: null, template_config: null },
        ...{ created_at: now, updated_at: now },
      })
      .onConflict((conflict) => conflict.columns(['app_id', 'id']).doNothing())
      .execute();
    ready.add(appId);
  };
}

/** The rows of a token, and its attempt. The message is the token: an erasure of the install erases it, too. */
export function tokenMessage(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  install: Pick<InstallsTable, 'app_id' | 'id' | 'sandbox'>,
  token: string,
): { writes: Write[]; attempt: DueAttempt } {
  const { app_id: appId, sandbox } = install;
  const message = {
    ...{ app_id: appId, id: ids.next(), event_type: APPLE_ADS_TYPE, sandbox, record_id: install.id },
    body: token,
  };
  const attempt = toDue(
    { clock, ids },
    { app_id: appId, webhook_id: receiverIdOf(appId), message_id: message.id },
  );
  const writes = [
    db.insertInto('webhook_messages').values(message).returning('id'),
    db.insertInto('webhook_queue').values(attempt).returning('id'),
  ];
  return { writes, attempt };
}
