/** Campaigns and links of a filter by the value of a dimension: cells of campaigns, and days of links, have its value. */
import type { CountDaysTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { chunks } from '../lib/chunks.ts';
import { DAY_MS } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { addCounts, addStored, type Counts, noCounts } from './add-counts.ts';
import { columnOf, INTEGERS, type MetricName } from './counts.ts';
import { fromValue, NONE, toValue } from './dimensions.ts';
import { readSizes } from './largest-links.ts';
import { type CellFilter, readLinkCells, type Span, sumCells, visitQuarterHours } from './read-cells.ts';
import { cellsOfFilter, type Of, signOf, sumFiltered } from './read-period.ts';

const CAMPAIGNS_PER_STATEMENT = 100;

/** By stored value of the campaign. */
export async function sumCampaigns({ db, filter }: Of, span: Span): Promise<Map<string, Counts>> {
  const { fromMs, toMs } = span;
  const of = { fromMs, toMs, keyBy: 'campaign' } as const;
  const sums = new Map<string, Counts>();
  const add = (counts: ReadonlyMap<string, Counts>) => {
    for (const [campaignId, each] of counts) if (campaignId !== '') sums.set(toValue(campaignId), each);
  };
  if (filter.linkId !== null || filter.campaignId !== null) {
    add(await sumFiltered(db, filter, of));
    return sums;
  }
  const all = await sumCells(db, { ...filter, only: null }, { fromMs, toMs, dimensions: ['campaign'] });
  const campaigns = [...(all.get('campaign')?.keys() ?? [])].map(fromValue);
  for (const campaignIds of chunks(campaigns, CAMPAIGNS_PER_STATEMENT))
    add(await sumFiltered(db, filter, { ...of, campaignIds }));
  return sums;
}

const LINKS_AT_ONCE = 100;
/** A row has all cells of a link's day: these take about a second. */
const MAX_LINK_DAYS = 30_000;

/**
 * The first links by a metric, and perhaps some others; by stored value. A link has at most as much with the filter as
 * without it, so links with less without it than `limit` others have with it are not read.
 * @throws AppError `request.invalid` where that takes too many days of links.
 */
export async function sumLargestLinks(
  of: Of,
  span: Span,
  { sort, limit }: { sort: MetricName; limit: number },
): Promise<Map<string, Counts>> {
  const column = columnOf(sort, of.credit);
  const filter = { ...of.filter, only: null };
  const sizes = await readSizes(of.db, { filter, column: column ?? 'clicks', ...span });
  sizes.delete(NONE);
  const mostOf = (value: string | undefined) =>
    column === null ? Number.POSITIVE_INFINITY : (sizes.get(value ?? '')?.most ?? 0);
  const values = [...sizes.keys()].sort((a, b) => (sizes.get(b)?.most ?? 0) - (sizes.get(a)?.most ?? 0));
  const maxLinks = Math.floor(MAX_LINK_DAYS / Math.ceil((span.toMs - span.fromMs) / DAY_MS));
  const sums = new Map<string, Counts>();
  for (let read = 0; read < values.length; read += LINKS_AT_ONCE) {
    if (column !== null && leastOf(sums, column, limit) > mostOf(values[read])) break;
    if (read >= maxLinks) throw tooManyLinks(of.filter);
    for (const [value, counts] of await sumLinks(of, span, values.slice(read, read + LINKS_AT_ONCE)))
      sums.set(value, counts);
  }
  return sums;
}

/** By stored value of the link. */
export async function sumLinks(
  { db, filter }: Of,
  { fromMs, toMs }: Span,
  values: readonly string[],
): Promise<Map<string, Counts>> {
  const sums = new Map<string, Counts>();
  if (values.length === 0) return sums;
  const { only, ...others } = filter;
  const of = { ...cellsOfFilter(only), fromMs, toMs };
  const cells = await readLinkCells(db, { ...others, linkIds: values.map(fromValue) }, of);
  await visitQuarterHours(cells, of, ({ linkId, dimension }, _, stored) => {
    const counts = noCounts();
    addStored(counts, stored);
    addCounts(entryAt(sums, toValue(linkId ?? ''), noCounts), counts, signOf(only, dimension));
  });
  return sums;
}

/** The count of the last of the `limit` largest. */
function leastOf(sums: ReadonlyMap<string, Counts>, column: keyof CountDaysTable, limit: number): number {
  const place = INTEGERS.findIndex((count) => count.column === column);
  const sizes = [...sums.values()].map(({ integers }) => integers[place] ?? 0);
  return sizes.sort((a, b) => b - a)[limit - 1] ?? 0;
}

function tooManyLinks({ only }: CellFilter): AppError {
  return new AppError('request.invalid', {
    message: `groupBy=link with ${only?.dimension} would read too many days of links. Shorten the period, sort by a number of records, or give campaignId.`,
  });
}
