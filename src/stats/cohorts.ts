/** Cohorts: the installs of a day, and how many of them were active on each of the days that follow. */
import { sql } from 'kysely';
import type { Flag, Transaction } from '../db/index.ts';
import { chunks } from '../lib/chunks.ts';
import { DAY_MS, dayOf } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import type { PendingGroup } from './fold-pending.ts';

/** The day of the install is day 0. */
export const COHORT_DAYS = 31;

/** @returns the number of days from one UTC day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

interface Cohort {
  readonly sandbox: Flag;
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
  groups: readonly PendingGroup[],
): Promise<void> {
  const cohorts = new Map<string, Cohort>();
  for (const { first, n } of groups) {
    const { kind, sandbox, method, campaign_id: campaignId } = first;
    if (kind !== 'install' && kind !== 'active') continue;
    const recordedOn = dayOf(first.minute);
    const day = kind === 'install' ? recordedOn : first.cohort_day;
    const key = { sandbox, day, linkId: first.link_id ?? '', campaignId, method };
    const cohort = entryAt(cohorts, nameOf(key), (): Cohort => ({ ...key, installs: 0, active: [] }));
    const age = daysBetween(day, recordedOn);
    if (kind === 'install') cohort.installs += n;
    else cohort.active[age] = (cohort.active[age] ?? 0) + n;
  }
  for (const part of chunks([...cohorts.values()], COHORTS_PER_STATEMENT))
    await mergeCohorts(tx, appId, part);
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
  const byName = new Map(
    stored.map((row) => [nameOf({ ...row, linkId: row.link_id, campaignId: row.campaign_id }), row]),
  );
  await tx
    .insertInto('cohort_days')
    .values(
      cohorts.map((cohort) => {
        const { sandbox, day, linkId, campaignId, method } = cohort;
        const before = byName.get(nameOf(cohort));
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

function nameOf(cohort: Omit<Cohort, 'installs' | 'active'>): string {
  return [cohort.sandbox, cohort.day, cohort.linkId, cohort.campaignId, cohort.method].join('\n');
}
