import type { Actor } from '../auth/index.ts';
import { type Db, type Flag, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { findLinkIdByName } from '../links/index.ts';
import type { Counts } from './add-counts.ts';
import type { Credit, MetricName } from './counts.ts';
import { type FilterDimension, readDimensionFilter } from './dimension-filter.ts';
import type { GroupBy, Grouping } from './groups.ts';
import { type Period, type PeriodInput, periodBefore, readPeriod } from './periods.ts';
import type { CellFilter } from './read-cells.ts';
import { readGroupings } from './read-groups.ts';
import { readPeriodOf, type Series } from './read-period.ts';

/** What an answer can have; `previousSeries` on request only. */
export const PARTS = ['totals', 'series', 'previous', 'groups', 'previousSeries'] as const;
export type Part = (typeof PARTS)[number];
export const DEFAULT_PARTS: readonly Part[] = PARTS.slice(0, 4);

export interface StatsInput extends PeriodInput, Partial<Record<FilterDimension, string | undefined>> {
  readonly include: ReadonlySet<Part>;
  readonly groupBy: readonly GroupBy[];
  readonly limit?: number | undefined;
  readonly sort?: MetricName | undefined;
  readonly shortCode?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly platform?: string | undefined;
  readonly credit?: Credit | undefined;
  readonly sandbox?: boolean | undefined;
}

/** Null is what was not asked for. */
export interface Stats {
  readonly period: Period;
  readonly totals: Counts | null;
  readonly periodBefore: Period;
  /** Of `periodBefore`. */
  readonly previous: Counts | null;
  readonly series: Series | null;
  readonly previousSeries: Series | null;
  /** One without groups if there is no dimension. */
  readonly groupings: readonly Grouping[] | null;
}

const DEFAULT_LIMIT = 20;

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  /** Resolves once everything that this process acknowledged is in the cells of an app. */
  readonly counted: (appId: string) => Promise<void>;
}

/**
 * An app's counts, including everything that this process acknowledged before.
 * @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`.
 */
export async function readStats(
  { db, clock, counted }: Deps,
  { actor, input }: { actor: Actor; input: StatsInput },
): Promise<Stats> {
  const period = readPeriod({ clock }, input);
  const filter = await toCellFilter(db, actor, input);
  await counted(actor.appId);
  const { include, groupBy, credit = 'install', sort = 'clicks', limit = DEFAULT_LIMIT } = input;
  const of = { db, filter, credit };
  const has = (...parts: Part[]) => parts.some((part) => include.has(part));
  const earlier = periodBefore(period);
  const now = has('totals', 'series', 'groups') ? await readPeriodOf(of, period, has('series')) : null;
  const before = has('previous', 'previousSeries')
    ? await readPeriodOf(of, earlier, has('previousSeries'))
    : null;
  return {
    period,
    totals: has('totals') ? (now?.totals ?? null) : null,
    periodBefore: earlier,
    previous: has('previous') ? (before?.totals ?? null) : null,
    series: now?.series ?? null,
    previousSeries: before?.series ?? null,
    groupings:
      has('groups') && now !== null
        ? await readGroupings(
            of,
            { groupBy, sort, limit },
            {
              now: { period, ...now },
              before: has('previous') && before !== null ? { period: earlier, ...before } : null,
            },
          )
        : null,
  };
}

/** @returns the sandbox filter of a key: a test key sees the sandbox only. @throws AppError `request.invalid`. */
export function sandboxOf(actor: Actor, sandbox: boolean | undefined): Flag {
  if (actor.mode === 'test' && sandbox === false)
    throw new AppError('request.invalid', { message: 'sandbox must be true with a test key.' });
  return toFlag(actor.mode === 'test' || sandbox === true);
}

async function toCellFilter(db: Db, actor: Actor, input: StatsInput): Promise<CellFilter> {
  const { shortCode, campaignId = null, platform = null } = input;
  const linkId = shortCode ? await findLinkIdByName(db, actor.appId, shortCode) : null;
  if (linkId === undefined) throw new AppError('link.not_found');
  const only = readDimensionFilter(input, input.groupBy);
  return { appId: actor.appId, sandbox: sandboxOf(actor, input.sandbox), linkId, campaignId, platform, only };
}
