import { HOUR_MS, isoTime, SECOND_MS } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { uuidTimeMs } from '../../platform/ids.ts';
import { findWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, toAttempt } from './attempt.ts';
import type { Asked, Lane } from './lanes.ts';
import {
  type DueRow,
  dropWaiting,
  findMessages,
  insertDue,
  insertUnderWay,
  type MessageRow,
  takeDueRows,
} from './queue.ts';
import { targetOf } from './send.ts';

/** What a lane may send now. */
export interface Taken {
  readonly lane: Lane;
  readonly attempts: readonly Attempt[];
  /** Whether more may be due than there were places. */
  readonly isMoreDue: boolean;
}

/** Takes what is due for lanes with free places and puts the attempts that follow on record. */
export async function takeDue(tx: Ctx, asked: readonly Asked[]): Promise<Taken[]> {
  const webhooks = await findWebhooks(
    tx.db,
    asked.map(({ lane }) => lane),
  );
  const due = [];
  for (const each of asked) due.push(await takeDueOf(tx, each, webhooks.get(each.lane.webhookId)));
  const messages = await findMessages(
    tx,
    due.flatMap(({ rows }) => rows),
  );
  await putBack(
    tx,
    due.flatMap(({ rows }) => rows.filter((row) => !messages.has(row.message_id) && isYoung(tx, row))),
  );
  const taken = due.map(({ lane, webhook, rows, isMoreDue }) => {
    const attempts = webhook === undefined ? [] : toAttempts(tx, { webhook, rows, messages });
    return { lane, attempts, isMoreDue };
  });
  await insertUnderWay(
    tx,
    taken.flatMap(({ attempts }) => attempts.map(({ record }) => record)),
  );
  return taken;
}

async function takeDueOf(tx: Ctx, { lane, places }: Asked, webhook: WebhookRow | undefined) {
  // Disabled or deleted since it was published: it gets nothing more.
  if (webhook === undefined || webhook.enabled === 0) {
    const isMoreDue = await dropWaiting(tx, lane.appId, lane.webhookId);
    return { lane, webhook, rows: [], isMoreDue };
  }
  const rows = await takeDueRows(tx, lane, places);
  return { lane, webhook, rows, isMoreDue: rows.length === places };
}

/** Until then a message that is not there may only be late. */
const LATE_MESSAGE_MS = HOUR_MS;
const LOOK_AGAIN_MS = SECOND_MS;

/** On a cluster the message's node may commit later than the coordinator, which has the delivery. */
async function putBack(tx: Ctx, rows: readonly DueRow[]): Promise<void> {
  const due_at = isoTime(tx.clock.nowMs() + LOOK_AGAIN_MS);
  await insertDue(
    tx,
    rows.map((row) => ({ ...row, due_at })),
  );
}

function isYoung({ clock }: Ctx, { message_id: messageId }: DueRow): boolean {
  return (uuidTimeMs(messageId) ?? 0) > clock.nowMs() - LATE_MESSAGE_MS;
}

/** What was erased since is not sent. */
function toAttempts(
  tx: Ctx,
  {
    webhook,
    rows,
    messages,
  }: { webhook: WebhookRow; rows: readonly DueRow[]; messages: ReadonlyMap<string, MessageRow> },
): Attempt[] {
  const target = targetOf(tx, webhook);
  return rows.flatMap((delivery) => {
    const message = messages.get(delivery.message_id);
    return message === undefined || message.body === '' ? [] : toAttempt(tx, delivery, { message, target });
  });
}
