/** Cohorts: the installs of a day, and how many of them were active on each of the days that follow. */
import { sql } from 'kysely';
import type { Transaction } from '../db/index.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { Fact } from './dimensions.ts';

/** The day of the install is day 0. */
export const COHORT_DAYS = 31;

/** @returns the number of days from one UTC day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

interface Cohort {
  readonly sandbox: 0 | 1;
  readonly day: string;
  readonly linkId: string;
  readonly campaignId: string;
  readonly method: string;
  installs: number;
  /** Active installs by day. */
  readonly active: number[];
}

/** Adds installs and active installs to their cohorts. */
export async function addCohorts(tx: Transaction, appId: string, facts: readonly Fact[]): Promise<void> {
  const cohorts = new Map<string, Cohort>();
  for (const fact of facts) {
    if (fact.kind !== 'install' && fact.kind !== 'active') continue;
    const day = fact.kind === 'install' ? fact.minute.slice(0, 10) : fact.cohort_day;
    const cohort = cohortAt(cohorts, fact, day);
    if (fact.kind === 'install') cohort.installs += fact.n;
    else {
      const age = daysBetween(day, fact.minute.slice(0, 10));
      cohort.active[age] = (cohort.active[age] ?? 0) + fact.n;
    }
  }
  for (const cohort of cohorts.values()) await mergeCohort(tx, appId, cohort);
}

function cohortAt(cohorts: Map<string, Cohort>, fact: Fact, day: string): Cohort {
  const { sandbox, method, link_id, campaign_id: campaignId } = fact;
  const linkId = link_id ?? '';
  const key = JSON.stringify([sandbox, day, linkId, campaignId, method]);
  const existing = cohorts.get(key);
  if (existing !== undefined) return existing;
  const cohort = { sandbox, day, linkId, campaignId, method, installs: 0, active: [] };
  cohorts.set(key, cohort);
  return cohort;
}

async function mergeCohort(tx: Transaction, appId: string, cohort: Cohort): Promise<void> {
  const { sandbox, day, linkId, campaignId, method } = cohort;
  const key = { app_id: appId, sandbox, day, link_id: linkId, campaign_id: campaignId, method };
  const stored = await tx
    .selectFrom('cohort_days')
    .select(['installs', 'active'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('day', '=', day)
    .where('link_id', '=', linkId)
    .where('campaign_id', '=', campaignId)
    .where('method', '=', method)
    .executeTakeFirst();
  const before = stored === undefined ? [] : (JSON.parse(stored.active) as number[]);
  const active = Array.from(
    { length: COHORT_DAYS },
    (_, age) => (before[age] ?? 0) + (cohort.active[age] ?? 0),
  );
  const installs = (stored?.installs ?? 0) + cohort.installs;
  await tx
    .insertInto('cohort_days')
    .values({ ...key, installs, active: JSON.stringify(active) })
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'sandbox', 'day', 'link_id', 'campaign_id', 'method'])
        .doUpdateSet({ installs: sql`excluded.installs`, active: sql`excluded.active` }),
    )
    .execute();
}
