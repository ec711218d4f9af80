import type { Actor } from '../auth/index.ts';
import type { Db, Flag } from '../db/index.ts';
import { type Clock, dayOf, isoTime } from '../lib/clock.ts';
import { inPieces } from '../lib/in-pieces.ts';
import { type DaysInput, readDays } from '../server/days.ts';
import { COHORT_DAYS, daysBetween } from './cohorts.ts';
import { sandboxOf } from './read-stats.ts';

type CohortGroupBy = 'campaign' | 'link' | 'method';

/** The installs of a day, or of a day and group. */
export interface Cohort {
  readonly day: string;
  /** Null without a link or campaign; undefined without groups. */
  readonly key: string | null | undefined;
  readonly installs: number;
  /** Active installs on day 0 and so on, up to today or day 30. */
  readonly active: readonly number[];
}

const COLUMN = { campaign: 'campaign_id', link: 'link_id', method: 'method' } as const;

/**
 * Cohorts by UTC day of install, oldest first; days without installs have none.
 * @throws AppError `request.invalid`, `clicks.behind`.
 */
export async function readRetention(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  {
    actor,
    from,
    to,
    groupBy,
    sandbox,
  }: DaysInput & { actor: Actor; groupBy?: CohortGroupBy | undefined; sandbox?: boolean | undefined },
): Promise<{ fromDay: string; toDay: string; cohorts: Cohort[] }> {
  const days = readDays({ clock }, { from, to });
  const where = { sandbox: sandboxOf(actor, sandbox), ...days };
  await counted(actor.appId);
  const rows = await listCohorts(db, actor.appId, where);
  const today = dayOf(isoTime(clock.nowMs()));
  const cohorts: Cohort[] = [];
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify([row.day, groupBy === undefined ? null : row[COLUMN[groupBy]]]),
  );
  await inPieces(groups.values(), (group) => {
    const [first] = group;
    if (first === undefined) return;
    const installs = group.reduce((sum, row) => sum + row.installs, 0);
    if (installs === 0) return;
    const actives = group.map((row) => JSON.parse(row.active) as number[]);
    const pastDays = Math.min(COHORT_DAYS, daysBetween(first.day, today) + 1);
    cohorts.push({
      day: first.day,
      key: groupBy === undefined ? undefined : first[COLUMN[groupBy]] || null,
      installs,
      active: Array.from({ length: pastDays }, (_, age) =>
        actives.reduce((sum, active) => sum + (active[age] ?? 0), 0),
      ),
    });
  });
  return { ...days, cohorts };
}

async function listCohorts(
  db: Db,
  appId: string,
  { sandbox, fromDay, toDay }: { sandbox: Flag; fromDay: string; toDay: string },
) {
  return await db
    .selectFrom('cohort_days')
    .select(['day', 'link_id', 'campaign_id', 'method', 'installs', 'active'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .orderBy('day')
    .execute();
}
