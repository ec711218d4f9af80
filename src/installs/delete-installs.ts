import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Actor } from '../apps/index.ts';
import { deleteInstallRows, deleteOpensOfInstalls, listInstalls } from '../attribution/index.ts';
import { type AuditEntry, changerFields, insertAuditEntries } from '../audit/index.ts';
import { type Claimant, releaseClicks } from '../clicks/index.ts';
import { deleteEventsOfInstalls } from '../events/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { parts } from '../platform/parts.ts';
import type { UnderWay } from '../platform/under-way.ts';
import { subtractCounts } from '../statistics/index.ts';
import { eraseMessages } from '../webhooks/index.ts';

export type DeletionCtx = Ctx & { readonly recordings: UnderWay };

/** Stands for a key's id where the operator deletes. */
export const OPERATOR_KEY_ID = 'admin';

/** A deletion: its installs, its caller, and the filter for the audit log. */
interface Deletion {
  readonly actor: Actor;
  readonly installIds: readonly string[];
  /** Of the audit entry: what chose the installs. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** Once so many opens and events are deleted, the rest is left; null for no bound. */
  readonly maxRecords: number | null;
}

export interface Deleted {
  installs: number;
  opens: number;
  events: number;
}

const INSTALLS_AT_ONCE = 250;
const RECORDS_AT_ONCE = 1_000;

type Installs = Awaited<ReturnType<typeof listInstalls>>;

/**
 * Deletes installs with their opens and events, takes them out of the daily counts, and frees the clicks that they
 * claimed. Webhooks are not told what still waits. It works in short transactions, after each of which counts and
 * records agree; an install goes last, so that what was cut short can be repeated.
 * @returns what was deleted, and whether all of it was.
 */
export async function deleteInstalls(
  ctx: DeletionCtx,
  { actor, installIds, filter, maxRecords }: Deletion,
): Promise<Deleted & { isComplete: boolean }> {
  const { appId } = actor;
  const total: Deleted = { installs: 0, opens: 0, events: 0 };
  const mayGoOn = () => maxRecords === null || total.opens + total.events < maxRecords;
  const deletedGroups: Installs[] = [];
  let isComplete = true;
  for (const ids of parts(installIds, INSTALLS_AT_ONCE)) {
    const installs = await listInstalls(ctx.db, appId, ids);
    const before = { ...total };
    isComplete = await deleteRecords(ctx, installs, { total, mayGoOn });
    await inTransaction(ctx, async (tx) => {
      if (isComplete) {
        await deleteSomeRecords(tx, installs, total);
        total.installs += await deleteRows(tx, installs);
      }
      await insertAuditEntries(tx.db, [toAuditEntry(ctx, { actor, filter, before, total })]);
    });
    if (!isComplete) break;
    deletedGroups.push(installs);
  }
  // Events whose install was read before it was deleted may be stored only now.
  await ctx.recordings.settled(async () => undefined);
  await ctx.store.settled(async () => undefined);
  for (const installs of deletedGroups) await deleteRecords(ctx, installs, { total, mayGoOn: () => true });
  return { ...total, isComplete };
}

/** Gives false where it was cut short. */
async function deleteRecords(
  ctx: Ctx,
  installs: Installs,
  { total, mayGoOn }: { total: Deleted; mayGoOn: () => boolean },
): Promise<boolean> {
  while ((await inTransaction(ctx, (tx) => deleteSomeRecords(tx, installs, total))) > 0) {
    if (!mayGoOn()) return false;
    await yieldToEventLoop();
  }
  return true;
}

/** Deletes some opens and events of installs. Gives how many: none when none is left. */
async function deleteSomeRecords(tx: Ctx, installs: Installs, total: Deleted): Promise<number> {
  const [first] = installs;
  if (first === undefined) return 0;
  const byId = new Map(installs.map((install) => [install.id, install]));
  const some = { installIds: [...byId.keys()], limit: RECORDS_AT_ONCE };
  const events = await deleteEventsOfInstalls(tx, first.app_id, some);
  const opens = await deleteOpensOfInstalls(tx, first.app_id, some);
  await release(tx, 'open', opens);
  await eraseMessages(
    tx,
    first.app_id,
    [...events, ...opens].map(({ id }) => id),
  );
  // Last, since other transactions that add to the same counts wait from here on.
  const counted = events.map(({ install_id, created_at }) => ({
    ...(byId.get(install_id) ?? first),
    recordedAt: created_at,
  }));
  await subtractCounts(tx, 'event', counted);
  await subtractCounts(
    tx,
    'open',
    opens.map((open) => ({ ...open, recordedAt: open.opened_at })),
  );
  total.events += events.length;
  total.opens += opens.length;
  return events.length + opens.length;
}

/** Deletes the installs themselves. Gives how many were still there. */
async function deleteRows(tx: Ctx, installs: Installs): Promise<number> {
  const [first] = installs;
  if (first === undefined) return 0;
  const deleted = await deleteInstallRows(
    tx,
    first.app_id,
    installs.map(({ id }) => id),
  );
  await release(tx, 'install', deleted);
  await eraseMessages(
    tx,
    first.app_id,
    deleted.map(({ id }) => id),
  );
  await subtractCounts(
    tx,
    'install',
    deleted.map((install) => ({ ...install, recordedAt: install.installed_at })),
  );
  return deleted.length;
}

async function release(
  tx: Ctx,
  by: Claimant,
  records: readonly { app_id: string; id: string; click_id: string | null }[],
): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  const clickIds = records.flatMap(({ click_id }) => click_id ?? []);
  await releaseClicks(tx, first.app_id, { by, ids: records.map(({ id }) => id), clickIds });
}

function toAuditEntry(
  { clock, ids }: Ctx,
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
      ...changerFields(actor.keyId === OPERATOR_KEY_ID ? 'admin' : { keyId: actor.keyId }),
    }),
    sandbox: toFlag(actor.mode === 'test'),
    created_at: isoTime(clock.nowMs()),
  };
}
