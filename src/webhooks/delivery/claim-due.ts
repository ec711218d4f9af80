import type { Transaction } from '../../db/index.ts';
import { type Clock, HOUR_MS, isoTime, SECOND_MS } from '../../lib/clock.ts';
import { type Ids, uuidTimeMs } from '../../lib/ids.ts';
import type { Secrets } from '../../lib/secrets.ts';
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
export async function claimDue(
  tx: Transaction,
  { clock, ids, secrets }: { clock: Clock; ids: Ids; secrets: Secrets },
  grants: readonly Grant[],
): Promise<Claimed[]> {
  const endpoints = grants.map(({ endpoint }) => endpoint);
  const webhooks = await findWebhooks(tx, endpoints);
  const claims = [];
  for (const grant of grants)
    claims.push(await claimRows(tx, { clock }, grant, webhooks.get(grant.endpoint.webhookId)));
  const allRows = claims.flatMap(({ rows }) => rows);
  const messages = await findMessages(tx, allRows);
  const late = allRows.filter((row) => !messages.has(row.message_id) && isRecent({ clock }, row));
  await postpone(tx, { clock }, late);
  const claimed = claims.map(({ endpoint, webhook, rows, hasMore }) => {
    const attempts =
      webhook === undefined ? [] : toAttempts({ clock, ids, secrets }, webhook, { rows, messages });
    return { endpoint, attempts, hasMore };
  });
  const records = claimed.flatMap(({ attempts }) => attempts.map(({ record }) => record));
  await insertInFlight(tx, records);
  return claimed;
}

async function claimRows(
  tx: Transaction,
  { clock }: { clock: Clock },
  { endpoint, slots }: Grant,
  webhook: WebhookRow | undefined,
) {
  // Disabled or deleted since the delivery was published.
  if (webhook === undefined || webhook.enabled === 0) {
    const hasMore = await dropPending(tx, endpoint.appId, endpoint.webhookId);
    return { endpoint, webhook, rows: [], hasMore };
  }
  const rows = await claimDueRows(tx, { clock }, endpoint, slots);
  return { endpoint, webhook, rows, hasMore: rows.length === slots };
}

/** On a cluster, the node of a message may commit it later than the coordinator commits its delivery. */
async function postpone(
  tx: Transaction,
  { clock }: { clock: Clock },
  rows: readonly DueRow[],
): Promise<void> {
  const dueAt = isoTime(clock.nowMs() + RECHECK_MS);
  const postponed = rows.map((row) => ({ ...row, due_at: dueAt }));
  await insertDue(tx, postponed);
}

function isRecent({ clock }: { clock: Clock }, { message_id: messageId }: DueRow): boolean {
  return (uuidTimeMs(messageId) ?? 0) > clock.nowMs() - LATE_MESSAGE_MS;
}

/** Leaves out erased messages, whose body is empty. */
function toAttempts(
  { clock, ids, secrets }: { clock: Clock; ids: Ids; secrets: Secrets },
  webhook: WebhookRow,
  { rows, messages }: { rows: readonly DueRow[]; messages: ReadonlyMap<string, MessageRow> },
): Attempt[] {
  const target = targetOf({ clock, secrets }, webhook);
  return rows.flatMap((delivery) => {
    const message = messages.get(delivery.message_id);
    return message === undefined || message.body === ''
      ? []
      : toAttempt({ clock, ids }, delivery, { message, target });
  });
}
