/** Receivers, and the times before which they take no attempt. */

import { createHash } from 'node:crypto';
import type { Db, Transaction } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime, SECOND_MS } from '../../lib/clock.ts';
import type { TemplateId } from '../templates/index.ts';
import { templateOf, type WebhookRow } from '../webhook.ts';

/** What an address leads to. Several webhooks may have one receiver, which is paced and paused for all of them. */
export interface Receiver {
  /** A hash, since the address of a chat is a credential. */
  readonly id: string;
  /** The least time between two attempts; null if only the receiver's own `Retry-After` holds them back. */
  readonly intervalMs: number | null;
}

/** What the platforms take: one message a second, 30 a minute, four a second. */
const INTERVALS_MS: Readonly<Record<TemplateId, number>> = {
  slack: SECOND_MS,
  discord: 2 * SECOND_MS,
  teams: SECOND_MS / 4,
};

/**
 * A chat is one receiver for all apps, since its platform counts by address. Others are one for each app, so that no app
 * can have a receiver pause for another.
 */
export function receiverOf({
  app_id: appId,
  url,
  template,
}: Pick<WebhookRow, 'app_id' | 'url' | 'template'>): Receiver {
  const { origin, pathname, search } = new URL(url);
  if (template === null) return { id: hash(`${appId} ${origin}${pathname}${search}`), intervalMs: null };
  const platform = templateOf(template);
  // Discord's query has options of the message, such as the thread.
  const address = platform === 'discord' ? origin + pathname : origin + pathname + search;
  return { id: hash(address), intervalMs: INTERVALS_MS[platform] };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * A receiver that takes no attempt before a time. Its row locks its pace for all processes; a receiver without one is free.
 */
export interface Hold {
  readonly receiverId: string;
  readonly untilMs: number;
  /** Whether the receiver asked for it, by `Retry-After`. */
  readonly isPause: boolean;
}

/** Takes the next place of a paced receiver. @returns false if it is held. */
export async function takePlace(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  { id, intervalMs }: Receiver & { intervalMs: number },
): Promise<boolean> {
  const now = isoTime(clock.nowMs());
  const next_attempt_at = isoTime(clock.nowMs() + intervalMs);
  const taken = await tx
    .insertInto('webhook_receivers')
    .values({ id, next_attempt_at, paused_until: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ next_attempt_at })
        .where('webhook_receivers.next_attempt_at', '<=', now),
    )
    .returning('id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Gives back the place that this transaction took. */
export async function returnPlace(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  receiverId: string,
): Promise<void> {
  const next_attempt_at = isoTime(clock.nowMs());
  await tx.updateTable('webhook_receivers').set({ next_attempt_at }).where('id', '=', receiverId).execute();
}

/** @returns until when the receiver is held; null if it is free. */
export async function findHold(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  receiverId: string,
): Promise<number | null> {
  const held = await db
    .selectFrom('webhook_receivers')
    .select('next_attempt_at')
    .where('id', '=', receiverId)
    .where('next_attempt_at', '>', isoTime(clock.nowMs()))
    .executeTakeFirst();
  return held === undefined ? null : Date.parse(held.next_attempt_at);
}

/** Holds receivers, unless they are held for longer. In the order of their ids, as processes may hold the same ones. */
export async function holdReceivers(tx: Transaction, holds: readonly Hold[]): Promise<void> {
  const latest = new Map<string, Hold>();
  for (const hold of holds.toSorted((a, b) => a.untilMs - b.untilMs)) latest.set(hold.receiverId, hold);
  const sorted = [...latest.values()].sort((a, b) => (a.receiverId < b.receiverId ? -1 : 1));
  for (const { receiverId: id, untilMs, isPause } of sorted) {
    const next_attempt_at = isoTime(untilMs);
    const paused = isPause ? { paused_until: next_attempt_at } : {};
    await tx
      .insertInto('webhook_receivers')
      .values({ id, next_attempt_at, paused_until: null, ...paused })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ next_attempt_at, ...paused })
          .where('webhook_receivers.next_attempt_at', '<', next_attempt_at),
      )
      .execute();
  }
}

/** Pauses that are not over, by receiver. */
export async function findPauses(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  receiverIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (receiverIds.length === 0) return new Map();
  const paused = await db
    .selectFrom('webhook_receivers')
    .select(['id', 'paused_until'])
    .where('id', 'in', receiverIds)
    .where('paused_until', '>', isoTime(clock.nowMs()))
    .execute();
  return new Map(paused.map(({ id, paused_until: until }) => [id, until ?? '']));
}

/** Ends a pause that is not over. `paused_until` then says when, for the lines of all processes. */
export async function endPause(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  { id, intervalMs }: Receiver,
): Promise<void> {
  const nowMs = clock.nowMs();
  await db
    .updateTable('webhook_receivers')
    .set({ paused_until: isoTime(nowMs), next_attempt_at: isoTime(nowMs + (intervalMs ?? 0)) })
    .where('id', '=', id)
    .where('paused_until', '>', isoTime(nowMs))
    .execute();
}

/** When pauses ended, by receiver; without those that are not over. */
export async function findEndedPauses(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  receiverIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (receiverIds.length === 0) return new Map();
  const ended = await db
    .selectFrom('webhook_receivers')
    .select(['id', 'paused_until'])
    .where('id', 'in', receiverIds)
    .where('paused_until', '<=', isoTime(clock.nowMs()))
    .execute();
  return new Map(ended.map(({ id, paused_until: at }) => [id, Date.parse(at ?? '')]));
}

/** Deletes receivers that are held no more. @returns their number. */
export async function deleteIdleReceivers(db: Db, beforeMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_receivers')
    .where('next_attempt_at', '<', isoTime(beforeMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
