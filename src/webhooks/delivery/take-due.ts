import type { Ctx } from '../../platform/ctx.ts';
import { deleteDeliveriesOf, findWebhook } from '../queries.ts';
import { type Attempt, toAttempt } from './attempt.ts';
import type { Asked, Lane } from './lanes.ts';
import { insertAttempts, leaseDue } from './queue.ts';
import { targetOf } from './send.ts';

/** Takes what is due for lanes with free places and writes the records of the attempts that follow. */
export async function takeDue(tx: Ctx, asked: readonly Asked[]): Promise<{ lane: Lane; attempt: Attempt }[]> {
  const taken: { lane: Lane; attempt: Attempt }[] = [];
  for (const { lane, places } of asked)
    for (const attempt of await takeDueOf(tx, lane, places)) taken.push({ lane, attempt });
  await insertAttempts(
    tx.db,
    taken.map(({ attempt }) => attempt.record),
  );
  return taken;
}

async function takeDueOf(tx: Ctx, lane: Lane, places: number): Promise<Attempt[]> {
  const webhook = await findWebhook(tx.db, lane.appId, lane.webhookId);
  // Disabled or deleted since it was published: it gets nothing more.
  if (webhook === undefined || webhook.enabled === 0) {
    await deleteDeliveriesOf(tx.db, lane.appId, lane.webhookId);
    return [];
  }
  const due = await leaseDue(tx, lane, places);
  if (due.length === places) lane.mayBeDue = true;
  const target = targetOf(tx, webhook);
  return due.map((delivery) => toAttempt(tx, delivery, target));
}
