/** `GET /v1/stats/retention`. */
import { type Static, Type } from 'typebox';
import { days } from '../server/days.ts';
import { Named, Nullable, OnlyThese } from '../server/schemas.ts';
import type { readRetention } from './read-retention.ts';
import { statsFilters } from './schemas.ts';

export const ReadRetention = OnlyThese({
  ...days,
  groupBy: Type.Optional(Type.Enum(['campaign', 'link', 'method'])),
  sandbox: statsFilters.sandbox,
});

const Day = Type.String({ description: 'In UTC, such as 2026-01-31' });

export const Retention = Named('RetentionStats', {
  from: Day,
  to: Day,
  cohorts: Type.Array(
    Named('Cohort', {
      day: Day,
      key: Type.Optional(Nullable(Type.String({ description: 'Only with `groupBy`' }))),
      installs: Type.Integer({ minimum: 0 }),
      active: Type.Array(Type.Integer({ minimum: 0 }), {
        description: 'Active installs on the day of the install and each day after it, up to today or day 30',
      }),
      shares: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
        description: '`active` divided by `installs`, with four decimals',
      }),
    }),
    { description: 'Days with installs, oldest first' },
  ),
});

/** @param shortCodes of links by ID, if the cohorts are of links. */
export function presentRetention(
  { fromDay, toDay, cohorts }: Awaited<ReturnType<typeof readRetention>>,
  shortCodes: ReadonlyMap<string, string>,
): Static<typeof Retention> {
  return {
    from: fromDay,
    to: toDay,
    cohorts: cohorts.map(({ day, key, installs, active }) => ({
      day,
      ...(key !== undefined && { key: key === null ? null : (shortCodes.get(key) ?? key) }),
      installs,
      active: [...active],
      shares: active.map((count) => Number((count / installs).toFixed(4))),
    })),
  };
}
