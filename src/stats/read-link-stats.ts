import type { Static } from 'typebox';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { inPieces } from '../lib/in-pieces.ts';
import { readLink } from '../links/index.ts';
import { type DaysInput, listDays, readDays } from '../server/days.ts';
import { addStored, countOf, noCounts } from './add-counts.ts';
import { fromValue } from './dimensions.ts';
import { type LinkMetrics, type LinkStats, OTHER_VISITORS } from './link-schemas.ts';
import { type DayCell, readCells } from './read-cells.ts';

type Metrics = Static<typeof LinkMetrics>;
type Answer = Static<typeof LinkStats>;

/**
 * The statistics of a link, sandbox or live as the link is, including all clicks that this process acknowledged before.
 * @throws AppError `link.not_found`, `request.invalid` (see `readDays`), `clicks.behind`.
 */
export async function readLinkStats(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  { actor, shortCode, from, to }: DaysInput & { actor: Actor; shortCode: string },
): Promise<Answer> {
  const { fromDay, toDay } = readDays({ clock }, { from, to });
  const { id: linkId, sandbox } = await readLink(db, { actor, shortCode });
  await counted(actor.appId);
  const filter = { appId: actor.appId, sandbox, linkId, campaignId: null, platform: null, only: null };
  const span = { fromMs: Date.parse(fromDay), toMs: Date.parse(toDay) + DAY_MS };
  // Visitors partition the clicks of a link, methods its other records.
  const cells = await readCells(db, filter, { dimensions: ['visitor', 'method'], ...span });
  return { shortCode, from: fromDay, to: toDay, ...(await toLinkStats(cells, listDays({ fromDay, toDay }))) };
}

const RECORDS = ['installs', 'opens', 'events'] as const;

/** Every day in order, and other groups with records, by name, null first. @param cells of visitors and methods. */
export async function toLinkStats(cells: readonly DayCell[], days: readonly string[]) {
  const totals = noMetrics();
  const byDay = new Map(days.map((day) => [day, noMetrics()]));
  const [byPlatform, byMethod, byCampaign] = [newGroups(), newGroups(), newGroups()];
  await inPieces(cells, ({ day, dimension, value, platform, campaignId, quarterHours }) => {
    const counts = noCounts();
    for (const stored of quarterHours) addStored(counts, stored);
    const isMethod = dimension === 'method';
    // Deletions of installs may leave 0.
    if (isMethod && RECORDS.every((name) => countOf(counts, name) === 0)) return;
    const groups: [Map<string, Metrics>, string][] = [
      [byDay, day],
      [byPlatform, platform],
      [byCampaign, campaignId ?? ''],
    ];
    if (isMethod) groups.push([byMethod, fromValue(value)]);
    for (const metrics of [totals, ...groups.map(([group, name]) => entryAt(group, name, noMetrics))]) {
      for (const name of isMethod ? RECORDS : []) metrics[name] += countOf(counts, name);
      const visitor = isMethod ? null : (fromValue(value) as 'human' | keyof Metrics['otherClicks']);
      if (visitor === 'human') metrics.clicks += countOf(counts, 'clicks');
      else if (visitor !== null) metrics.otherClicks[visitor] += countOf(counts, 'otherClicks');
    }
  });
  return {
    totals,
    byDay: [...byDay].map(([day, metrics]) => ({ day, ...metrics })),
    byPlatform: inOrder(byPlatform).map(([name, metrics]) => ({
      ...{ platform: (name || null) as Answer['byPlatform'][number]['platform'], ...metrics },
    })),
    byMethod: inOrder(byMethod).map(([name, { installs, opens, events }]) => ({
      ...{ method: name as Answer['byMethod'][number]['method'], installs, opens, events },
    })),
    byCampaign: inOrder(byCampaign).map(([name, metrics]) => ({ campaignId: name || null, ...metrics })),
  };
}

function newGroups(): Map<string, Metrics> {
  return new Map();
}

function inOrder(groups: ReadonlyMap<string, Metrics>): [string, Metrics][] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function noMetrics(): Metrics {
  const otherClicks = Object.fromEntries(OTHER_VISITORS.map((visitor) => [visitor, 0]));
  return {
    ...{ clicks: 0, otherClicks: otherClicks as Metrics['otherClicks'] },
    ...{ installs: 0, opens: 0, events: 0 },
  };
}
