/** Days on which an install was active, for retention: bit N of `installs.active_days` is the Nth day after the install. */
import { sql } from 'kysely';
import { type Db, type InstallsTable, isAmong, isShared, type Write } from '../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { isAsked } from '../networks/index.ts';
import {
  activityCount,
  COHORT_DAYS,
  type CountedRecord,
  type FirstPurchase,
  type PendingCount,
  purchaseCounts,
} from '../stats/index.ts';
import type { consentColumns } from './consent.ts';

type ActiveInstall = Omit<CountedRecord, 'recordedAt'> &
  Pick<InstallsTable, 'id' | 'installed_at' | 'active_days' | 'existing_user'> &
  Pick<InstallsTable, 'network' | 'network_name' | 'network_campaign' | 'network_trace' | 'erased'>;
type UsedInstall = ActiveInstall & Pick<InstallsTable, 'identifiers' | 'deterministic_only'>;

/** An install's first activity of a UTC day. */
interface Activity {
  readonly activeDays: number;
  readonly count: PendingCount;
}

/** @returns null if the day is known as active, or is not among the first 31, or for an existing user, who is in no cohort. */
export function activityOf(install: ActiveInstall, nowMs: number): Activity | null {
  if (install.existing_user === 1) return null;
  const cohortDay = dayOf(install.installed_at);
  const now = isoTime(nowMs);
  const age = Math.round((Date.parse(dayOf(now)) - Date.parse(cohortDay)) / DAY_MS);
  const activeDays = (install.active_days ?? 0) | (1 << age);
  if (age < 0 || age >= COHORT_DAYS || activeDays === install.active_days) return null;
  return { activeDays, count: activityCount({ ...install, recordedAt: now }, cohortDay) };
}

/** The activity of a deleted install, to subtract. */
export function activityCountsOf(install: ActiveInstall): PendingCount[] {
  const cohortDay = dayOf(install.installed_at);
  // Bit 0 is part of the install's own counts.
  const ages = Array.from({ length: COHORT_DAYS }, (_, age) => age).slice(1);
  return ages
    .filter((age) => ((install.active_days ?? 0) & (1 << age)) !== 0)
    .map((age) => {
      const recordedAt = isoTime(Date.parse(cohortDay) + age * DAY_MS);
      return activityCount({ ...install, recordedAt }, cohortDay, -1);
    });
}

/**
 * For `store.commit`: fails if the install was deleted, or its active days changed after it was read; or if it has paid by
 * now, for a first purchase, or has an inviter, for another one; or if it was erased, or its identifiers or consent changed, for those.
 */
export function updateUse(
  db: Db,
  {
    app_id,
    id,
    active_days,
    identifiers,
    erased,
    deterministic_only,
  }: Pick<InstallsTable, 'app_id' | 'id' | 'active_days' | 'identifiers' | 'erased' | 'deterministic_only'>,
  columns: ReturnType<typeof consentColumns> &
    Partial<
      Pick<InstallsTable, 'active_days' | 'last_open' | 'first_purchase' | 'invited_by' | 'identifiers'>
    >,
) {
  return db
    .updateTable('installs')
    .set(columns)
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .where(sql<boolean>`active_days is not distinct from ${active_days}`)
    .$if(columns.first_purchase !== undefined, (update) => update.where('first_purchase', 'is', null))
    .$if(columns.invited_by !== undefined, (update) => update.where('invited_by', 'is', null))
    .$if(columns.identifiers !== undefined, (update) =>
      update.where(
        sql<boolean>`identifiers is not distinct from ${identifiers} and erased is not distinct from ${erased} and deterministic_only is not distinct from ${deterministic_only}`,
      ),
    )
    .returning('id');
}

/** What a batch of events changes on an install. */
interface Change {
  readonly install: UsedInstall;
  readonly activity: Activity | null;
  readonly purchase: FirstPurchase | null;
  /** Undefined if they stay. */
  readonly identifiers: string | null | undefined;
}

interface Use {
  readonly nowMs: number;
  /** By install. */
  readonly firstPurchases: ReadonlyMap<string, FirstPurchase>;
  /** The column by install, which need not be active. */
  readonly identifiers: ReadonlyMap<UsedInstall, string | null>;
}

/**
 * For `store.commit`: marks installs as active now, and some as paying, and keeps the identifiers of some.
 * @returns statements that fail if one was deleted, or changed after it was read, and what they count.
 */
export function recordUse(
  db: Db,
  active: readonly UsedInstall[],
  { nowMs, firstPurchases, identifiers }: Use,
): { writes: Write[]; counts: PendingCount[] } {
  const isActive = new Set(active);
  const changes = [...new Set([...active, ...identifiers.keys()])]
    .map(
      (install): Change => ({
        install,
        activity: isActive.has(install) ? activityOf(install, nowMs) : null,
        purchase: firstPurchases.get(install.id) ?? null,
        identifiers: identifiers.get(install),
      }),
    )
    .filter((change) => change.activity !== null || isOfOwn(change));
  // Installs that were active on the same days share a statement.
  const groups = Map.groupBy(changes, (change) =>
    isOfOwn(change) ? change.install.id : `${change.install.active_days} ${change.activity?.activeDays}`,
  );
  const updates = Array.from(groups.values(), (group) => updateGroup(db, group));
  const counts = changes.flatMap(({ install, activity, purchase }) => [
    ...(activity === null ? [] : [activity.count]),
    ...(purchase === null ? [] : purchaseCounts(install, purchase)),
  ]);
  return { writes: [...lockInstalls(db, active, changes), ...updates.flat()], counts };
}

/** Whether no other install has the same change. */
function isOfOwn({ purchase, identifiers }: Change): boolean {
  return purchase !== null || identifiers !== undefined;
}

/**
 * In order, so that concurrent batches cannot deadlock. An install whose network is asked is locked, so that its answer
 * finds all that was counted without it; the commit fails if it came meanwhile.
 */
function lockInstalls(db: Db, active: readonly ActiveInstall[], changes: readonly Change[]): Write[] {
  const asked = active.filter((install) => install.network_name === null && isAsked(install));
  const locked = new Set([...asked, ...changes.map(({ install }) => install)]);
  const [first] = locked;
  if (!isShared(db) || first === undefined || (asked.length === 0 && locked.size === 1)) return [];
  const ids = Array.from(locked, ({ id }) => id);
  const unanswered = asked.map(({ id }) => id);
  const lock = db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', first.app_id)
    .where(isAmong(db, 'id', ids))
    .$if(asked.length > 0, (query) =>
      query.where(({ or, not, eb }) =>
        or([eb('network_name', 'is', null), not(isAmong(db, 'id', unanswered))]),
      ),
    )
    .orderBy('id')
    .forUpdate();
  return [{ compile: () => lock.compile(), rows: ids.length }];
}

function updateGroup(db: Db, group: readonly Change[]): Write[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { install, activity, purchase, identifiers } = first;
  const columns = {
    ...(identifiers !== undefined && { identifiers }),
    ...(activity !== null && { active_days: activity.activeDays }),
    ...(purchase !== null && { first_purchase: JSON.stringify(purchase) }),
  };
  if (others.length === 0) return [updateUse(db, install, columns)];
  const ids = group.map((each) => each.install.id);
  const update = db
    .updateTable('installs')
    .set(columns)
    .where('app_id', '=', install.app_id)
    .where(isAmong(db, 'id', ids))
    .where(sql<boolean>`active_days is not distinct from ${install.active_days}`);
  return [{ compile: () => update.compile(), rows: ids.length }];
}

/** That a deleted install has paid, to subtract. */
export function purchaseCountsOf(
  install: ActiveInstall & Pick<InstallsTable, 'first_purchase'>,
): PendingCount[] {
  const { first_purchase } = install;
  return first_purchase === null
    ? []
    : purchaseCounts(install, JSON.parse(first_purchase) as FirstPurchase, -1);
}

/** The link of an install's latest open by a link. */
export interface LastOpen {
  readonly linkId: string;
  readonly campaignId: string | null;
  /** ISO 8601. */
  readonly at: string;
}

const CREDITED_MS = 30 * DAY_MS;

/** @returns the open that events of now are credited to; null if there is none of the last 30 days. */
export function readLastOpen(
  { last_open }: Pick<InstallsTable, 'last_open'>,
  nowMs: number,
): LastOpen | null {
  if (last_open === null) return null;
  const open = JSON.parse(last_open) as LastOpen;
  return nowMs - Date.parse(open.at) <= CREDITED_MS ? open : null;
}
