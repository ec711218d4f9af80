import type { AppDirectory } from '../../apps/index.ts';
import { insertMany, type Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { countLateClaim } from '../../stats/index.ts';
import { createOutbox, type DueAttempt, type EnabledWebhooks } from '../../webhooks/index.ts';
import { claimColumns } from '../claim.ts';
import { findingsText } from '../finding.ts';
import { networkEvent } from '../network-event.ts';
import type { AppleOutcome } from './answer.ts';

export type AnswerDeps = Pick<Foundation, 'clock' | 'ids'> & {
  readonly appDirectory: AppDirectory;
  readonly webhooks: EnabledWebhooks;
};

/**
 * Stores what Apple said with the install, its count and its webhook messages, and drops the token. Nothing is written of an
 * install that was erased or deleted meanwhile.
 * @returns the attempts of the messages.
 */
export async function recordAnswer(
  tx: Transaction,
  deps: AnswerDeps,
  {
    message,
    answer,
  }: {
    message: { readonly app_id: string; readonly id: string; readonly record_id: string | null };
    answer: AppleOutcome;
  },
): Promise<readonly DueAttempt[]> {
  const { app_id: appId, record_id: installId } = message;
  const { claim, outcome } = answer;
  const install = await tx
    .updateTable('installs')
    .set({
      ...claimColumns(claim),
      network_trace: findingsText([{ name: 'apple_ads', outcome: outcome ?? 'gave_up' }]),
    })
    .where('app_id', '=', appId)
    .where('id', '=', installId ?? '')
    .where('erased', 'is', null)
    .where('network', 'is', null)
    .returningAll()
    .executeTakeFirst();
  await tx
    .updateTable('webhook_messages')
    .set({ body: '' })
    .where('app_id', '=', appId)
    .where('id', '=', message.id)
    .execute();
  if (install === undefined || claim === null) return [];
  await countLateClaim(tx, install);
  const { name: appName } = await deps.appDirectory.get(appId);
  const event = networkEvent(deps, install, { appName, claim });
  const outbox = createOutbox(deps, appId, await deps.webhooks.get(appId), [event]);
  await insertMany(tx, 'webhook_messages', outbox.messages);
  await insertMany(tx, 'webhook_queue', outbox.attempts);
  return outbox.attempts;
}
