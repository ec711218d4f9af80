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
import { findHold, returnPlace, takePlace } from './receiver-queries.ts';
import { type Target, targetOf } from './send.ts';

/** For how long a missing message may still be committed. */
const LATE_MESSAGE_MS = HOUR_MS;
const RECHECK_MS = SECOND_MS;
/** Another process may have set the secret again. */
const UNSIGNED_MS = 10 * SECOND_MS;

/** The attempts that an endpoint starts now. */
export interface Claimed {
  readonly endpoint: Endpoint;
  /** Null for a webhook that is disabled or deleted. */
  readonly receiverId: string | null;
  readonly attempts: readonly Attempt[];
  /** Until when its receiver takes no further attempt; null if it is not held. */
  readonly heldUntilMs: number | null;
  /** Whether more deliveries may be due. */
  readonly hasMore: boolean;
}

interface ClaimedRows extends Omit<Claimed, 'attempts'> {
  readonly rows: readonly LeasedRow[];
}

/** Claims due deliveries, up to the slots of each grant. */
export async function claimDue(
  tx: Transaction,
  { clock, ids, secrets }: { clock: Clock; ids: Ids; secrets: Secrets },
  grants: readonly Grant[],
): Promise<Claimed[]> {
  const webhooks = await findWebhooks(
    tx,
    grants.map(({ endpoint }) => endpoint),
  );
  const targets = new Map<string, Target>();
  for (const webhook of webhooks.values())
    if (webhook.enabled === 1) targets.set(webhook.id, targetOf({ clock, secrets }, webhook));
  const receiverOf = ({ endpoint }: Grant) => targets.get(endpoint.webhookId)?.receiver.id ?? '';
  const claims: ClaimedRows[] = [];
  let hasDropped = false;
  // In the order of their receivers, whose rows they lock.
  for (const grant of grants.toSorted((a, b) => (receiverOf(a) < receiverOf(b) ? -1 : 1))) {
    const { webhookId } = grant.endpoint;
    const [webhook, target] = [webhooks.get(webhookId), targets.get(webhookId)];
    const isSent = webhook !== undefined && target !== undefined;
    claims.push(
      isSent
        ? await claimRows(tx, { clock }, grant, { webhook, target })
        : await dropRows(tx, grant, { isLater: hasDropped }),
    );
    if (!isSent) hasDropped = true;
  }
  const allRows = claims.flatMap(({ rows }) => rows);
  const messages = await findMessages(tx, allRows);
  await dropUnsendable(tx, { clock, ids }, { rows: allRows, messages });
  return claims.map(({ rows, ...claim }) => {
    const target = targets.get(claim.endpoint.webhookId);
    return {
      ...claim,
      attempts: target === undefined ? [] : toAttempts({ ids }, target, { rows, messages }),
    };
  });
}

/**
 * Disabled or deleted since the delivery was published.
 * @param isLater leaves them to a later claim, since a transaction drops those of one webhook at most.
 */
async function dropRows(
  tx: Transaction,
  { endpoint }: Grant,
  { isLater }: { isLater: boolean },
): Promise<ClaimedRows> {
  const hasMore = isLater || (await dropPending(tx, endpoint.appId, endpoint.webhookId));
  return { endpoint, receiverId: null, rows: [], heldUntilMs: null, hasMore };
}

async function claimRows(
  tx: Transaction,
  { clock }: { clock: Clock },
  { endpoint, slots }: Grant,
  { webhook, target: { receiver, keys } }: { webhook: WebhookRow; target: Target },
): Promise<ClaimedRows> {
  if (keys === null) return holdUnsigned({ clock }, { endpoint });
  const { id: receiverId, intervalMs } = receiver;
  if (intervalMs !== null)
    return await claimPaced(tx, { clock }, { endpoint, webhook, receiverId, intervalMs });
  const rows = await claimDueRows(tx, { clock }, webhook, { limit: slots, unlessHeld: receiverId });
  // Only the reason for none matters: a pause holds all.
  const heldUntilMs = rows.length === 0 ? await findHold(tx, { clock }, receiverId) : null;
  return { endpoint, receiverId, rows, heldUntilMs, hasMore: rows.length === slots };
}

/** An attempt that cannot be signed cannot succeed: the deliveries wait until the secret is set again. */
function holdUnsigned({ clock }: { clock: Clock }, { endpoint }: { endpoint: Endpoint }): ClaimedRows {
  // A line of its own: others may send to the same receiver.
  const receiverId = `unsigned ${endpoint.webhookId}`;
  const heldUntilMs = clock.nowMs() + UNSIGNED_MS;
  return { endpoint, receiverId, rows: [], heldUntilMs, hasMore: false };
}

/** One at a time, whichever process and webhook it is for. */
async function claimPaced(
  tx: Transaction,
  { clock }: { clock: Clock },
  of: { endpoint: Endpoint; webhook: WebhookRow; receiverId: string; intervalMs: number },
): Promise<ClaimedRows> {
  const { endpoint, webhook, receiverId, intervalMs } = of;
  const isFree = await takePlace(tx, { clock }, { id: receiverId, intervalMs });
  const rows = isFree ? await claimDueRows(tx, { clock }, webhook, { limit: 1, unlessHeld: null }) : [];
  const isUnused = isFree && rows.length === 0;
  if (isUnused) await returnPlace(tx, { clock }, receiverId);
  const heldUntilMs = isUnused ? null : await findHold(tx, { clock }, receiverId);
  return { endpoint, receiverId, rows, heldUntilMs, hasMore: !isUnused };
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
  { ids }: { ids: Ids },
  target: Target,
  { rows, messages }: { rows: readonly LeasedRow[]; messages: ReadonlyMap<string, MessageRow> },
): Attempt[] {
  return rows.flatMap((delivery) => {
    const message = messages.get(delivery.message_id);
    // An id of its own: the log is sorted and partitioned by the start of the attempt, and the row may be much older.
    return message?.body ? { id: ids.next(), delivery, message, target } : [];
  });
}
