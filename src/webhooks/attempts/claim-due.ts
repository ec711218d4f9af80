import type { Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import { findWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, type Sending, sendingOf } from './attempt.ts';
import {
  claimDueAttempts,
  deleteInFlight,
  dropPending,
  findMessages,
  insertDue,
  type LeasedAttempt,
  type MessageRow,
  toDue,
} from './queue.ts';
import { findHold, returnPlace, takePlace } from './receiver.ts';
import type { ReceiverKinds } from './receiver-kind.ts';
import type { Grant } from './schedule.ts';

/** For how long a missing message may still be committed. */
const LATE_MESSAGE_MS = HOUR_MS;
const RECHECK_MS = SECOND_MS;
/** Another process may have set the secret again. */
const UNSIGNED_MS = 10 * SECOND_MS;

/** The attempts for a webhook that start now. */
export interface Claimed extends Pick<Grant, 'webhook'> {
  /** Null for a webhook that is disabled or deleted. */
  readonly receiverId: string | null;
  readonly attempts: readonly Attempt[];
  /** Until when its receiver takes no further attempt; null if it is not held. */
  readonly heldUntilMs: number | null;
  /** Whether more attempts may be due. */
  readonly hasMore: boolean;
  /** Attempts in flight at most; null if the schedule decides. */
  readonly maxInFlight: number | null;
}

/** What a grant leases, before the messages are read. */
interface Leased extends Pick<Claimed, 'receiverId' | 'heldUntilMs' | 'hasMore'> {
  readonly rows: readonly LeasedAttempt[];
}

/** Claims due attempts, up to the slots of each grant. */
export async function claimDue(
  tx: Transaction,
  { clock, ids, kinds }: Pick<Foundation, 'clock' | 'ids'> & { kinds: ReceiverKinds },
  grants: readonly Grant[],
): Promise<Claimed[]> {
  const found = await findWebhooks(
    tx,
    grants.map(({ webhook }) => webhook),
  );
  const enabled = new Map<string, { row: WebhookRow; sending: Sending }>();
  for (const row of found.values())
    if (row.enabled === 1 && row.kind in kinds) enabled.set(row.id, { row, sending: sendingOf(kinds, row) });
  const receiverOf = ({ webhook }: Grant) => enabled.get(webhook.webhookId)?.sending.receiver.id ?? '';
  const claims: { grant: Grant; leased: Leased }[] = [];
  let hasDropped = false;
  // In the order of their receivers, whose rows they lock.
  for (const grant of grants.toSorted((a, b) => (receiverOf(a) < receiverOf(b) ? -1 : 1))) {
    const webhook = enabled.get(grant.webhook.webhookId);
    const leased =
      webhook === undefined
        ? await dropRows(tx, grant, { isLater: hasDropped })
        : await leaseRows(tx, { clock }, { ...webhook, grant });
    hasDropped ||= webhook === undefined;
    claims.push({ grant, leased });
  }
  const rows = claims.flatMap(({ leased }) => leased.rows);
  const messages = await findMessages(tx, rows);
  await dropUnsendable(tx, { clock, ids }, { rows, messages });
  return claims.map(({ grant: { webhook }, leased: { rows: ofWebhook, ...leased } }) => {
    const sending = enabled.get(webhook.webhookId)?.sending;
    const attempts = ofWebhook.flatMap((row) => {
      const message = messages.get(row.message_id);
      // An id of its own: the log is sorted and partitioned by the start of the attempt, and the row may be much older.
      return sending !== undefined && message?.body ? { id: ids.next(), row, message, ...sending } : [];
    });
    return { webhook, ...leased, attempts, maxInFlight: sending?.target?.maxInFlight ?? null };
  });
}

/**
 * Disabled or deleted since the message was published.
 * @param isLater leaves them to a later claim, since a transaction drops those of one webhook at most.
 */
async function dropRows(
  tx: Transaction,
  { webhook: { appId, webhookId } }: Grant,
  { isLater }: { isLater: boolean },
): Promise<Leased> {
  const hasMore = isLater || (await dropPending(tx, appId, webhookId));
  return { receiverId: null, rows: [], heldUntilMs: null, hasMore };
}

async function leaseRows(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  { row: webhook, sending: { receiver, target }, grant }: { row: WebhookRow; sending: Sending; grant: Grant },
): Promise<Leased> {
  // An attempt that cannot be signed cannot succeed: it waits until the secret is set again, in a line of its own, since
  // other webhooks may send to the same receiver.
  if (target === null) {
    const heldUntilMs = clock.nowMs() + UNSIGNED_MS;
    return { receiverId: `unsigned ${webhook.id}`, rows: [], heldUntilMs, hasMore: false };
  }
  const { id: receiverId, intervalMs } = receiver;
  if (intervalMs !== null) return await leasePaced(tx, { clock }, { webhook, receiverId, intervalMs });
  // The schedule learns of the bound by the first claim.
  const slots = Math.max(
    1,
    Math.min(grant.slots, (target.maxInFlight ?? grant.slots) - grant.webhook.inFlight),
  );
  const rows = await claimDueAttempts(tx, { clock }, webhook, { limit: slots, unlessHeld: receiverId });
  // Only the reason for none matters: a pause holds all.
  const heldUntilMs = rows.length === 0 ? await findHold(tx, { clock }, receiverId) : null;
  return { receiverId, rows, heldUntilMs, hasMore: rows.length === slots };
}

/** One at a time, whichever process and webhook it is for. */
async function leasePaced(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  { webhook, receiverId, intervalMs }: { webhook: WebhookRow; receiverId: string; intervalMs: number },
): Promise<Leased> {
  const isFree = await takePlace(tx, { clock }, { id: receiverId, intervalMs });
  const rows = isFree ? await claimDueAttempts(tx, { clock }, webhook, { limit: 1, unlessHeld: null }) : [];
  const isUnused = isFree && rows.length === 0;
  if (isUnused) await returnPlace(tx, { clock }, receiverId);
  const heldUntilMs = isUnused ? null : await findHold(tx, { clock }, receiverId);
  return { receiverId, rows, heldUntilMs, hasMore: !isUnused };
}

/**
 * Drops attempts whose message is erased or gone. Those of a recent message are due again: on a cluster, its node may
 * commit it later than the coordinator commits its attempts.
 */
async function dropUnsendable(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { rows, messages }: { rows: readonly LeasedAttempt[]; messages: ReadonlyMap<string, MessageRow> },
): Promise<void> {
  const isRecent = (messageId: string) => (uuidTimeMs(messageId) ?? 0) > clock.nowMs() - LATE_MESSAGE_MS;
  const unsendable = rows.filter((row) => !messages.get(row.message_id)?.body);
  const late = unsendable.filter((row) => !messages.has(row.message_id) && isRecent(row.message_id));
  await deleteInFlight(tx, unsendable);
  await insertDue(
    tx,
    late.map((row) => toDue({ clock, ids }, row, RECHECK_MS)),
  );
}
