import { deleteOldAuditEntries } from '../audit/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { deleteOldRows, dropForEachApp, dropOldRows, type ForEachApp } from '../platform/drop-old.ts';
import { GIVEN_UP } from './delivery/index.ts';
import { eraseLateAnswers } from './personal-data.ts';

/**
 * Drops what webhooks were told before, and how it went. What waited so long goes with it; what waits still for an older
 * message, since it was asked for again, is dropped in its turn (`delivery/take-due.ts`).
 * @returns false where some is left for a later call.
 */
export async function dropOldDeliveries(
  ctx: Ctx,
  beforeMs: number,
  forEachApp: ForEachApp,
): Promise<boolean> {
  await dropForEachApp(ctx, { table: 'webhook_deliveries_due', beforeMs, forEachApp }, (appId, limit) =>
    deleteOldRows(ctx, 'webhook_deliveries_due', appId, { beforeMs, limit }),
  );
  await forEachApp((appId, limit) => eraseLateAnswers(ctx, appId, { beforeMs, limit }));
  // They name attempts that are dropped now.
  await dropForEachApp(ctx, { table: 'audit_log', beforeMs, forEachApp }, (appId, limit) =>
    deleteOldAuditEntries(ctx, appId, { action: GIVEN_UP, beforeMs, limit }),
  );
  const areGone = await dropOldRows(ctx, 'webhook_attempts', { beforeMs, forEachApp });
  // By a message an erasure finds what was answered to it.
  return areGone && (await dropOldRows(ctx, 'webhook_messages', { beforeMs, forEachApp }));
}
