import type { Actor } from '../apps/index.ts';
import type { Db } from '../db/index.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { readLink } from '../links/index.ts';
import { type DaysInput, listDays, readDays } from '../server/days.ts';
import { addStored, type Counts, countOf, noCounts } from './add-counts.ts';
import { fromValue } from './dimensions.ts';
import { type DayCell, readCells } from './read-cells.ts';

/** Kinds of visitors that are not human. */
export const OTHER_VISITORS = ['tool', 'crawler', 'preview', 'prefetch', 'embedded', 'head'] as const;
type OtherVisitor = (typeof OTHER_VISITORS)[number];

export interface LinkMetrics {
  /** By humans. */
  clicks: number;
  otherClicks: Record<OtherVisitor, number>;
  installs: number;
  opens: number;
  events: number;
}

/** Every day, and other groups with records only. */
export interface LinkStats {
  readonly shortCode: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly totals: LinkMetrics;
  readonly byDay: ReadonlyMap<string, LinkMetrics>;
  /** Empty text: neither platform. */
  readonly byPlatform: ReadonlyMap<string, LinkMetrics>;
  /** Without clicks, which have no method. */
  readonly byMethod: ReadonlyMap<string, LinkMetrics>;
  /** Empty text: no campaign. */
  readonly byCampaign: ReadonlyMap<string, LinkMetrics>;
}

/**
 * The statistics of a link, sandbox or live as the link is, including all clicks that this process acknowledged before.
 * @throws AppError `link.not_found`, `request.invalid` (see `readDays`), `clicks.behind`.
 */
export async function readLinkStats(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  { actor, shortCode, from, to }: DaysInput & { actor: Actor; shortCode: string },
): Promise<LinkStats> {
  const days = readDays({ clock }, { from, to });
  const { id: linkId, sandbox } = await readLink(db, { actor, shortCode });
  await counted(actor.appId);
  const cells = await readCells(
    db,
    { appId: actor.appId, sandbox, linkId, campaignId: null, platform: null },
    {
      // Visitors partition the clicks of a link, methods its other records.
      dimensions: ['visitor', 'method'],
      fromMs: Date.parse(days.fromDay),
      toMs: Date.parse(days.toDay) + DAY_MS,
    },
  );
  return { shortCode, ...days, ...addUpCells(cells, listDays(days)) };
}

const RECORDS = ['installs', 'opens', 'events'] as const;

/** @param days the requested days, in order. */
function addUpCells(cells: readonly DayCell[], days: readonly string[]) {
  const totals = noMetrics();
  const byDay = new Map(days.map((day) => [day, noMetrics()]));
  const byPlatform = new Map<string, LinkMetrics>();
  const byMethod = new Map<string, LinkMetrics>();
  const byCampaign = new Map<string, LinkMetrics>();
  for (const { day, dimension, value, platform, campaignId, quarterHours } of cells) {
    const counts = noCounts();
    for (const stored of quarterHours) addStored(counts, stored);
    const ofMethod = dimension === 'method';
    // Deletions of installs may leave 0.
    if (ofMethod && RECORDS.every((name) => countOf(counts, name) === 0)) continue;
    for (const metrics of [
      totals,
      entryAt(byDay, day, noMetrics),
      entryAt(byPlatform, platform, noMetrics),
      entryAt(byCampaign, campaignId ?? '', noMetrics),
      ...(ofMethod ? [entryAt(byMethod, fromValue(value), noMetrics)] : []),
    ])
      if (ofMethod) addRecords(metrics, counts);
      else addClicks(metrics, fromValue(value), counts);
  }
  return { totals, byDay, byPlatform, byMethod, byCampaign };
}

function noMetrics(): LinkMetrics {
  const otherClicks = Object.fromEntries(OTHER_VISITORS.map((visitor) => [visitor, 0]));
  return {
    ...{
      clicks: 0,
      otherClicks: otherClicks as LinkMetrics['otherClicks'],
      installs: 0,
      opens: 0,
      events: 0,
    },
  };
}

function addClicks(metrics: LinkMetrics, visitor: string, counts: Counts): void {
  if (visitor === 'human') metrics.clicks += countOf(counts, 'clicks');
  else metrics.otherClicks[visitor as OtherVisitor] += countOf(counts, 'otherClicks');
}

function addRecords(metrics: LinkMetrics, counts: Counts): void {
  for (const name of RECORDS) metrics[name] += countOf(counts, name);
}
