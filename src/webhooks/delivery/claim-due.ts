import type { Ctx } from '../../ctx.ts';
import { HOUR_MS, isoTime, SECOND_MS } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import { findWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, toAttempt } from './attempt.ts';
import type { Endpoint, Grant } from './endpoint-scheduler.ts';
import {
  claimDueRows,
  type DueRow,
  dropPending,
  findMessages,
  insertDue,
  insertInFlight,
  type MessageRow,
} from './queue.ts';
import { targetOf } from './send.ts';

/** For how long a missing message may still be committed. */
const LATE_MESSAGE_MS = HOUR_MS;
const RECHECK_MS = SECOND_MS;

/** The attempts that an endpoint starts now. */
export interface Claimed {
  readonly endpoint: Endpoint;
  readonly attempts: readonly Attempt[];
  /** Whether more deliveries may be due. */
  readonly hasMore: boolean;
}

/** Claims due deliveries, up to the slots of each grant, and records their attempts as in flight. */
export async function claimDue(tx: Ctx, grants: readonly Grant[]): Promise<Claimed[]> {
  const endpoints = grants.map(({ endpoint }) => endpoint);
  const webhooks = await findWebhooks(tx.db, endpoints);
  const claims = [];
  for (const grant of grants) claims.push(await claimRows(tx, grant, webhooks.get(grant.endpoint.webhookId)));
  const allRows = claims.flatMap(({ rows }) => rows);
  const messages = await findMessages(tx, allRows);
  const late = allRows.filter((row) => !messages.has(row.message_id) && isRecent(tx, row));
  await postpone(tx, late);
  const claimed = claims.map(({ endpoint, webhook, rows, hasMore }) => {
    const attempts = webhook === undefined ? [] : toAttempts(tx, webhook, { rows, messages });
    return { endpoint, attempts, hasMore };
  });
  const records = claimed.flatMap(({ attempts }) => attempts.map(({ record }) => record));
  await insertInFlight(tx, records);
  return claimed;
}

async function claimRows(tx: Ctx, { endpoint, slots }: Grant, webhook: WebhookRow | undefined) {
  // Disabled or deleted since the delivery was published.
  if (webhook === undefined || webhook.enabled === 0) {
    const hasMore = await dropPending(tx, endpoint.appId, endpoint.webhookId);
    return { endpoint, webhook, rows: [], hasMore };
  }
  const rows = await claimDueRows(tx, endpoint, slots);
  return { endpoint, webhook, rows, hasMore: rows.length === slots };
}

/** On a cluster, the node of a message may commit it later than the coordinator commits its delivery. */
async function postpone(tx: Ctx, rows: readonly DueRow[]): Promise<void> {
  const dueAt = isoTime(tx.clock.nowMs() + RECHECK_MS);
  const postponed = rows.map((row) => ({ ...row, due_at: dueAt }));
  await insertDue(tx, postponed);
}

function isRecent({ clock }: Ctx, { message_id: messageId }: DueRow): boolean {
  return (uuidTimeMs(messageId) ?? 0) > clock.nowMs() - LATE_MESSAGE_MS;
}

/** Leaves out erased messages, whose body is empty. */
function toAttempts(
  tx: Ctx,
  webhook: WebhookRow,
  { rows, messages }: { rows: readonly DueRow[]; messages: ReadonlyMap<string, MessageRow> },
): Attempt[] {
  const target = targetOf(tx, webhook);
  return rows.flatMap((delivery) => {
    const message = messages.get(delivery.message_id);
    return message === undefined || message.body === '' ? [] : toAttempt(tx, delivery, { message, target });
  });
}
