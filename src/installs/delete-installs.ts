import { type AuditEntry, changerFields, insertAuditEntries } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { type Claimant, releaseClicks } from '../click-log/index.ts';
import { type Db, type Transaction, toFlag } from '../db/index.ts';
import { countedEvent, deleteEventsOfInstalls } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import { chunks } from '../lib/chunks.ts';
import { isoTime } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import { deleteOpensOfInstalls } from '../opens/index.ts';
import { eventCounts, insertCounts, installCounts, openCounts, type PendingCount } from '../stats/index.ts';
import { eraseMessages } from '../webhooks/index.ts';
import { activityCountsOf, purchaseCountsOf } from './activity.ts';
import { forgetInviters } from './forget-inviters.ts';
import { markGone } from './gone-installs.ts';
import {
  COUNTED_COLUMNS,
  type CountedInstall,
  deleteInstallRows,
  listInstalls,
  lockInstalls,
} from './queries.ts';

/** Dependencies of deletions of installs. */
export interface DeletionDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'secrets'> {
  readonly recordings: InFlight;
}

interface Deletion {
  readonly actor: Actor;
  readonly installIds: readonly string[];
  /** For the audit log. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** Opens and events to delete at most, rounded up to a transaction. */
  readonly maxRecords: number;
}

interface Deleted {
  installs: number;
  opens: number;
  events: number;
}

type Installs = readonly CountedInstall[];

const INSTALLS_AT_ONCE = 250;
const RECORDS_AT_ONCE = 1_000;
const COUNTS_PER_STATEMENT = 500;

/**
 * Deletes installs with their opens, events, counts and undelivered webhook messages, and releases the clicks they
 * claimed. A tombstone tells the SDK of a deleted install that it is gone. Works in short transactions, each of which keeps counts and records consistent. Deletes an install after its
 * records, so that an interrupted deletion can be repeated.
 */
export async function deleteInstalls(
  deps: DeletionDeps,
  { actor, installIds, filter, maxRecords }: Deletion,
): Promise<Deleted & { isComplete: boolean }> {
  const total: Deleted = { installs: 0, opens: 0, events: 0 };
  const deleted: Installs[] = [];
  let isComplete = true;
  for (const ids of chunks(installIds, INSTALLS_AT_ONCE)) {
    const installs = await listInstalls(deps.db, actor.appId, ids, COUNTED_COLUMNS);
    const before = { ...total };
    isComplete = await deleteAllRecords(deps.db, installs, total, maxRecords);
    // Before the installs are gone, so that an interrupted deletion can be repeated.
    if (isComplete) await forgetInviters(deps, actor.appId, idsOf(installs));
    await deps.db.transaction().execute(async (tx) => {
      if (isComplete) {
        await deleteSomeRecords(tx, installs, total);
        deleted.push(await deleteRows(tx, deps, installs, total));
      }
      await insertAuditEntries(tx, [toAuditEntry(deps, { actor, filter, before, total })]);
    });
    if (!isComplete) break;
  }
  // Deletes what concurrent calls recorded that read their install before it was deleted.
  await deps.recordings.settled(async () => undefined);
  await deps.store.waitForTransactions(async () => undefined);
  for (const installs of deleted) {
    await deleteAllRecords(deps.db, installs, total, Number.POSITIVE_INFINITY);
    await forgetInviters(deps, actor.appId, idsOf(installs));
  }
  return { ...total, isComplete };
}

/** @returns false if it stopped at `maxRecords`. */
async function deleteAllRecords(
  db: Db,
  installs: Installs,
  total: Deleted,
  maxRecords: number,
): Promise<boolean> {
  while (await db.transaction().execute((tx) => deleteSomeRecords(tx, installs, total))) {
    if (total.opens + total.events >= maxRecords) return false;
  }
  return true;
}

/** Deletes up to RECORDS_AT_ONCE opens and as many events. @returns whether there were any. */
async function deleteSomeRecords(tx: Transaction, installs: Installs, total: Deleted): Promise<boolean> {
  const [first] = installs;
  if (first === undefined) return false;
  const ids = idsOf(installs);
  // A network that answers meanwhile moves what is still there.
  const now = await lockInstalls(tx, first.app_id, ids);
  const byId = new Map([...installs, ...now].map((install) => [install.id, install]));
  const page = { installIds: ids, limit: RECORDS_AT_ONCE };
  const events = await deleteEventsOfInstalls(tx, first.app_id, page);
  const opens = await deleteOpensOfInstalls(tx, first.app_id, page);
  await release(tx, first.app_id, 'open', opens);
  await eraseMessages(tx, first.app_id, idsOf([...events, ...opens]));
  const countedEvents = events.map((event) => countedEvent(event, byId.get(event.install_id) ?? first));
  const countedOpens = opens.map((open) => ({ ...open, recordedAt: open.opened_at }));
  await addAllCounts(tx, [...eventCounts(countedEvents, -1), ...openCounts(countedOpens, -1)]);
  total.events += events.length;
  total.opens += opens.length;
  return events.length + opens.length > 0;
}

async function deleteRows(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'secrets'>,
  installs: Installs,
  total: Deleted,
): Promise<Installs> {
  const [first] = installs;
  if (first === undefined) return installs;
  const deleted = await deleteInstallRows(tx, first.app_id, idsOf(installs));
  await markGone(tx, deps, first.app_id, idsOf(deleted));
  await release(tx, first.app_id, 'install', deleted);
  await eraseMessages(tx, first.app_id, idsOf(deleted));
  const counted = deleted.map((install) => ({ ...install, recordedAt: install.installed_at }));
  await addAllCounts(tx, [
    ...installCounts(counted, -1),
    ...deleted.flatMap(activityCountsOf),
    ...deleted.flatMap(purchaseCountsOf),
  ]);
  total.installs += deleted.length;
  const byId = new Map(deleted.map((install) => [install.id, install]));
  return installs.map((install) => byId.get(install.id) ?? install);
}

async function addAllCounts(tx: Transaction, counts: readonly PendingCount[]): Promise<void> {
  for (const part of chunks(counts, COUNTS_PER_STATEMENT)) await insertCounts(tx, part).execute();
}

async function release(
  tx: Transaction,
  appId: string,
  by: Claimant,
  records: readonly { id: string; click_id: string | null }[],
): Promise<void> {
  const clickIds = records.flatMap(({ click_id }) => click_id ?? []);
  await releaseClicks(tx, appId, { by, ids: idsOf(records), clickIds });
}

function idsOf(records: readonly { id: string }[]): string[] {
  return records.map(({ id }) => id);
}

function toAuditEntry(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { actor, filter, before, total }: Pick<Deletion, 'actor' | 'filter'> & { before: Deleted; total: Deleted },
): AuditEntry {
  return {
    app_id: actor.appId,
    id: ids.next(),
    action: 'installs.deleted',
    details: JSON.stringify({
      ...filter,
      installs: total.installs - before.installs,
      opens: total.opens - before.opens,
      events: total.events - before.events,
      ...changerFields(authorOf(actor)),
    }),
    sandbox: toFlag(actor.mode === 'test'),
    created_at: isoTime(clock.nowMs()),
  };
}
