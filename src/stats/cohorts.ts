/** Cohorts: the installs of a day, and how many of them were active on each of the days that follow. */
import { sql } from 'kysely';
import type { Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { FactGroup } from './dimensions.ts';
import type { Fact } from './pending.ts';

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

const COHORTS_PER_STATEMENT = 200;

/** Adds installs and active installs to their cohorts. */
export async function addCohorts(
  tx: Transaction,
  appId: string,
  groups: readonly FactGroup[],
): Promise<void> {
  const cohorts = new Map<string, Cohort>();
  for (const { fact, n } of groups) {
    if (fact.kind !== 'install' && fact.kind !== 'active') continue;
    const day = fact.kind === 'install' ? fact.minute.slice(0, 10) : fact.cohort_day;
    const cohort = cohortAt(cohorts, fact, day);
    if (fact.kind === 'install') cohort.installs += n;
    else {
      const age = daysBetween(day, fact.minute.slice(0, 10));
      cohort.active[age] = (cohort.active[age] ?? 0) + n;
    }
  }
  for (const part of chunks([...cohorts.values()], COHORTS_PER_STATEMENT))
    await mergeCohorts(tx, appId, part);
}

function cohortAt(cohorts: Map<string, Cohort>, fact: Fact, day: string): Cohort {
  const { sandbox, method, link_id, campaign_id: campaignId } = fact;
  const linkId = link_id ?? '';
  const key = keyOf({ sandbox, day, linkId, campaignId, method });
  const existing = cohorts.get(key);
  if (existing !== undefined) return existing;
  const cohort = { sandbox, day, linkId, campaignId, method, installs: 0, active: [] };
  cohorts.set(key, cohort);
  return cohort;
}

const KEY = ['app_id', 'sandbox', 'day', 'link_id', 'campaign_id', 'method'] as const;

async function mergeCohorts(tx: Transaction, appId: string, cohorts: readonly Cohort[]): Promise<void> {
  const days = [...new Set(cohorts.map(({ day }) => day))];
  const linkIds = [...new Set(cohorts.map(({ linkId }) => linkId))];
  const stored = await tx
    .selectFrom('cohort_days')
    .select([...KEY, 'installs', 'active'])
    .where('app_id', '=', appId)
    .where('sandbox', 'in', [0, 1])
    .where('day', 'in', days)
    .where('link_id', 'in', linkIds)
    .execute();
  const byKey = new Map(
    stored.map((row) => [keyOf({ ...row, linkId: row.link_id, campaignId: row.campaign_id }), row]),
  );
  await tx
    .insertInto('cohort_days')
    .values(
      cohorts.map((cohort) => {
        const { sandbox, day, linkId, campaignId, method } = cohort;
        const before = byKey.get(keyOf(cohort));
        const active = before === undefined ? [] : (JSON.parse(before.active) as number[]);
        return {
          ...{ app_id: appId, sandbox, day, link_id: linkId, campaign_id: campaignId, method },
          installs: (before?.installs ?? 0) + cohort.installs,
          active: JSON.stringify(
            Array.from({ length: COHORT_DAYS }, (_, age) => (active[age] ?? 0) + (cohort.active[age] ?? 0)),
          ),
        };
      }),
    )
    .onConflict((conflict) =>
      conflict
        .columns([...KEY])
        .doUpdateSet({ installs: sql`excluded.installs`, active: sql`excluded.active` }),
    )
    .execute();
}

function keyOf(cohort: Omit<Cohort, 'installs' | 'active'>): string {
  return [cohort.sandbox, cohort.day, cohort.linkId, cohort.campaignId, cohort.method].join('\n');
}
