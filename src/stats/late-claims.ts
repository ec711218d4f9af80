/** The claim of a network that answers after the install, and perhaps its events, were counted without it. */
import type { InstallsTable, Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import {
  eventCounts,
  type FirstPurchase,
  insertCounts,
  installCounts,
  type PendingCount,
  purchaseCounts,
} from './pending.ts';

const EVENTS_AT_ONCE = 1_000;
/** Those of an event and its opposite are in one row, so that one fold takes both. */
const COUNTS_PER_ROW = 500;

/**
 * Counts what an install has counted so far under its network, from the day of the install on. For the transaction that
 * stores the claim, after its update: that waits for events in flight, and later ones read the claim.
 * @param install as it is now.
 */
export async function countLateClaim(tx: Transaction, install: InstallsTable): Promise<void> {
  const purchase =
    install.first_purchase === null ? null : (JSON.parse(install.first_purchase) as FirstPurchase);
  await move(tx, [
    ...installCounts([{ ...install, recordedAt: install.installed_at }]),
    ...(purchase === null ? [] : purchaseCounts(install, purchase)),
  ]);
  for (let after: string | null = ''; after !== null; ) after = await moveEvents(tx, install, after);
}

/** @returns the last of a page of events; null after the last page. */
async function moveEvents(tx: Transaction, install: InstallsTable, after: string): Promise<string | null> {
  const events = await tx
    .selectFrom('events')
    .select(['id', 'created_at', 'event_name', 'revenue_amount', 'revenue_currency'])
    .select(['last_link_id', 'last_campaign_id'])
    .where('app_id', '=', install.app_id)
    .where('install_id', '=', install.id)
    .$if(after !== '', (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(EVENTS_AT_ONCE)
    .execute();
  await move(
    tx,
    eventCounts(
      events.map(({ revenue_amount: amount, revenue_currency: currency, ...event }) => ({
        ...install,
        recordedAt: event.created_at,
        eventName: event.event_name,
        revenue: amount === null || currency === null ? null : { amount, currency },
        lastLinkId: event.last_link_id,
        lastCampaignId: event.last_campaign_id,
      })),
    ),
  );
  return events.length < EVENTS_AT_ONCE ? null : (events.at(-1)?.id ?? null);
}

/** Of a claim that does not count, there is nothing to move. Cohorts have no network. */
async function move(tx: Transaction, counts: readonly PendingCount[]): Promise<void> {
  const moved = counts.filter(({ kind, network }) => kind !== 'active' && network !== '');
  const pairs = moved.flatMap((count) => [
    { ...count, n: -count.n, network: '', network_campaign: '', network_campaign_name: '' },
    count,
  ]);
  for (const part of chunks(pairs, COUNTS_PER_ROW)) await insertCounts(tx, part).execute();
}
