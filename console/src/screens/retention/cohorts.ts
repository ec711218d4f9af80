/** Cohorts put together by day, week or group, with the share that was active on each day after the install. */
import type { RetentionStats } from '@generated/types.gen.ts';
import { addDays } from '../../stats/period.ts';

type Cohort = RetentionStats['cohorts'][number];

/** The day of the install is day 0. */
export const LAST_AGE = 30;

export interface Cell {
  readonly active: number;
  /** Installs that are old enough. */
  readonly installs: number;
  readonly share: number;
  /** Whether the day is not over for any of them. */
  readonly isOpen: boolean;
}

export interface Row {
  /** The first day, or the group; null for installs without one. */
  readonly key: string | null;
  readonly from: string;
  readonly to: string;
  readonly installs: number;
  /** By age in days; null for days to come. */
  readonly cells: readonly (Cell | null)[];
}

/** One row for each first day of install, newest first. */
export function rowsByDay(cohorts: readonly Cohort[], by: 'day' | 'week', today: string): Row[] {
  const groups = Map.groupBy(cohorts, ({ day }) => (by === 'week' ? mondayOf(day) : day));
  return [...groups].map(([key, group]) => rowOf(key, group, today)).toReversed();
}

/** One row for each group, largest first. */
export function rowsByGroup(cohorts: readonly Cohort[], today: string): Row[] {
  const groups = Map.groupBy(cohorts, ({ key }) => key ?? null);
  return [...groups]
    .map(([key, group]) => rowOf(key, group, today))
    .toSorted((a, b) => b.installs - a.installs);
}

/** @param cohorts oldest first. */
export function rowOf(key: string | null, cohorts: readonly Cohort[], today: string): Row {
  return {
    key,
    from: cohorts[0]?.day ?? '',
    to: cohorts.at(-1)?.day ?? '',
    installs: sum(cohorts, ({ installs }) => installs),
    cells: Array.from({ length: LAST_AGE + 1 }, (_, age) => cellOf(cohorts, age, today)),
  };
}

/** Of the cohorts whose day is over, as others would lower the share; of all where none is over. */
function cellOf(cohorts: readonly Cohort[], age: number, today: string): Cell | null {
  const begun = cohorts.filter(({ active }) => active.length > age);
  if (begun.length === 0) return null;
  const over = begun.filter(({ day }) => addDays(day, age) < today);
  const counted = over.length > 0 ? over : begun;
  const active = sum(counted, (cohort) => cohort.active[age] ?? 0);
  const installs = sum(counted, (cohort) => cohort.installs);
  return { active, installs, share: active / installs, isOpen: over.length === 0 };
}

function sum(cohorts: readonly Cohort[], numberOf: (cohort: Cohort) => number): number {
  return cohorts.reduce((total, cohort) => total + numberOf(cohort), 0);
}

function mondayOf(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}
