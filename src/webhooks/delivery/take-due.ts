import type { Ctx } from '../../platform/ctx.ts';
import { dropWaiting, findWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, toAttempt } from './attempt.ts';
import type { Asked, Lane } from './lanes.ts';
import { insertAttempts, leaseDue } from './queue.ts';
import { targetOf } from './send.ts';

/** What a lane may send now. */
export interface Taken {
  readonly lane: Lane;
  readonly attempts: readonly Attempt[];
  /** Whether more may be due than there were places. */
  readonly isMoreDue: boolean;
}

/** Takes what is due for lanes with free places and writes the records of the attempts that follow. */
export async function takeDue(tx: Ctx, asked: readonly Asked[]): Promise<Taken[]> {
  const taken: Taken[] = [];
  const webhooks = await findWebhooks(
    tx.db,
    asked.map(({ lane }) => lane),
  );
  for (const each of asked) taken.push(await takeDueOf(tx, each, webhooks.get(each.lane.webhookId)));
  const records = taken.flatMap(({ attempts }) => attempts.map(({ record }) => record));
  await insertAttempts(tx, records);
  return taken;
}

async function takeDueOf(tx: Ctx, { lane, places }: Asked, webhook: WebhookRow | undefined): Promise<Taken> {
  // Disabled or deleted since it was published: it gets nothing more.
  if (webhook === undefined || webhook.enabled === 0) {
    const isMoreDue = await dropWaiting(tx.db, lane.appId, lane.webhookId);
    return { lane, attempts: [], isMoreDue };
  }
  const due = await leaseDue(tx, lane, places);
  const target = targetOf(tx, webhook);
  return {
    lane,
    attempts: due.map((delivery) => toAttempt(tx, delivery, target)),
    isMoreDue: due.length === places,
  };
}
