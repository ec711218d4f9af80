import type { Transaction } from '../../db/index.ts';
import { type Clock, HOUR_MS, SECOND_MS } from '../../lib/clock.ts';
import { type Ids, uuidTimeMs } from '../../lib/ids.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { findWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import type { Attempt } from './attempt.ts';
import type { Endpoint, Grant } from './endpoint-scheduler.ts';
import {
  claimDueRows,
  deleteInFlight,
  dropPending,
  findMessages,
  insertDue,
  type LeasedRow,
  type MessageRow,
  toDue,
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

/** Claims due deliveries, up to the slots of each grant. */
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
  await dropUnsendable(tx, { clock, ids }, { rows: allRows, messages });
  return claims.map(({ endpoint, webhook, rows, hasMore }) => {
    const attempts =
      webhook === undefined ? [] : toAttempts({ clock, ids, secrets }, webhook, { rows, messages });
    return { endpoint, attempts, hasMore };
  });
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
  const rows = await claimDueRows(tx, { clock }, webhook, slots);
  return { endpoint, webhook, rows, hasMore: rows.length === slots };
}

/**
 * Drops deliveries whose message is erased or gone. Those of a recent message are due again: on a cluster, its node may
 * commit it later than the coordinator commits its delivery.
 */
async function dropUnsendable(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  { rows, messages }: { rows: readonly LeasedRow[]; messages: ReadonlyMap<string, MessageRow> },
): Promise<void> {
  const unsendable = rows.filter((row) => !messages.get(row.message_id)?.body);
  const late = unsendable.filter((row) => !messages.has(row.message_id) && isRecent({ clock }, row));
  await deleteInFlight(tx, unsendable);
  await insertDue(
    tx,
    late.map((row) => toDue({ clock, ids }, row, RECHECK_MS)),
  );
}

function isRecent({ clock }: { clock: Clock }, { message_id: messageId }: LeasedRow): boolean {
  return (uuidTimeMs(messageId) ?? 0) > clock.nowMs() - LATE_MESSAGE_MS;
}

function toAttempts(
  { clock, ids, secrets }: { clock: Clock; ids: Ids; secrets: Secrets },
  webhook: WebhookRow,
  { rows, messages }: { rows: readonly LeasedRow[]; messages: ReadonlyMap<string, MessageRow> },
): Attempt[] {
  const target = targetOf({ clock, secrets }, webhook);
  return rows.flatMap((delivery) => {
    const message = messages.get(delivery.message_id);
    // An id of its own: the log is sorted and partitioned by the start of the attempt, and the row may be much older.
    return message?.body ? { id: ids.next(), delivery, message, target } : [];
  });
}
