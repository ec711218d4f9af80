/** Days on which an install was active, for retention: bit N of `installs.active_days` is the Nth day after the install. */
import { sql } from 'kysely';
import { type Db, type InstallsTable, isAmong, isShared, type Write } from '../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { activityCount, COHORT_DAYS, type CountedRecord, type PendingCount } from '../stats/index.ts';

type ActiveInstall = Omit<CountedRecord, 'recordedAt'> &
  Pick<InstallsTable, 'id' | 'installed_at' | 'active_days' | 'existing_user'>;

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

/** For `store.commit`: fails if the install was deleted, or its active days changed after it was read. */
export function updateActiveDays(
  db: Db,
  { app_id, id, active_days }: Pick<InstallsTable, 'app_id' | 'id' | 'active_days'>,
  columns: Partial<Pick<InstallsTable, 'active_days' | 'last_open'>>,
) {
  return db
    .updateTable('installs')
    .set(columns)
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .where(sql<boolean>`active_days is not distinct from ${active_days}`)
    .returning('id');
}

/**
 * For `store.commit`: marks installs as active now.
 * @returns statements that fail if one was deleted, or its active days changed after it was read, and what they count.
 */
export function recordActivity(
  db: Db,
  installs: readonly ActiveInstall[],
  nowMs: number,
): { writes: Write[]; counts: PendingCount[] } {
  const active = installs.flatMap((install) => {
    const activity = activityOf(install, nowMs);
    return activity === null ? [] : [{ install, ...activity }];
  });
  // Installs that were active on the same days share a statement.
  const groups = Map.groupBy(active, ({ install, activeDays }) => `${install.active_days} ${activeDays}`);
  const updates = Array.from(groups.values(), (group) => updateGroup(db, group));
  const counts = active.map(({ count }) => count);
  return { writes: [...lockInstalls(db, active), ...updates.flat()], counts };
}

/** In order, so that concurrent batches cannot deadlock. */
function lockInstalls(db: Db, active: readonly { install: ActiveInstall }[]): Write[] {
  const [first, ...others] = active;
  if (!isShared(db) || first === undefined || others.length === 0) return [];
  const ids = active.map(({ install }) => install.id);
  const lock = db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', first.install.app_id)
    .where(isAmong(db, 'id', ids))
    .orderBy('id')
    .forUpdate();
  return [{ compile: () => lock.compile(), rows: ids.length }];
}

function updateGroup(db: Db, group: readonly (Activity & { install: ActiveInstall })[]): Write[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { install, activeDays: active_days } = first;
  if (others.length === 0) return [updateActiveDays(db, install, { active_days })];
  const ids = group.map((each) => each.install.id);
  const update = db
    .updateTable('installs')
    .set({ active_days })
    .where('app_id', '=', install.app_id)
    .where(isAmong(db, 'id', ids))
    .where(sql<boolean>`active_days is not distinct from ${install.active_days}`);
  return [{ compile: () => update.compile(), rows: ids.length }];
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
