import type { VisitorKind } from '../platform/db/index.ts';
import type { LinkCount } from './queries.ts';

export type OtherVisitor = Exclude<VisitorKind, 'human'>;
const NO_OTHER_CLICKS: Readonly<Record<OtherVisitor, number>> = {
  tool: 0,
  crawler: 0,
  preview: 0,
  prefetch: 0,
  embedded: 0,
  head: 0,
};

/** Visitors that are no humans. */
export const OTHER_VISITORS = Object.keys(NO_OTHER_CLICKS) as readonly OtherVisitor[];

/** How often what happened. */
export interface Figures {
  /** Of humans. */
  clicks: number;
  otherClicks: Record<OtherVisitor, number>;
  installs: number;
  opens: number;
  events: number;
}

const FIELD_OF_KIND = { install: 'installs', open: 'opens', event: 'events' } as const;

/** A link's figures, all together and in groups. Of the days all are there, of other groups those that have any. */
export interface LinkFigures {
  readonly totals: Figures;
  readonly byDay: ReadonlyMap<string, Figures>;
  /** Empty text stands for neither platform. */
  readonly byPlatform: ReadonlyMap<string, Figures>;
  /** Without clicks, which have no method. */
  readonly byMethod: ReadonlyMap<string, Figures>;
  /** Empty text stands for no campaign. */
  readonly byCampaign: ReadonlyMap<string, Figures>;
}

/** Adds up the counts of a link. @param days that were asked for, in order. */
export function addUp(counts: readonly LinkCount[], days: readonly string[]): LinkFigures {
  const totals = noFigures();
  const byDay = new Map(days.map((day) => [day, noFigures()]));
  const byPlatform = new Map<string, Figures>();
  const byMethod = new Map<string, Figures>();
  const byCampaign = new Map<string, Figures>();
  for (const count of counts) {
    add(totals, count);
    add(figuresAt(byDay, count.day), count);
    add(figuresAt(byPlatform, count.platform), count);
    add(figuresAt(byCampaign, count.campaign_id), count);
    if (count.kind !== 'click') add(figuresAt(byMethod, count.method), count);
  }
  return { totals, byDay, byPlatform, byMethod, byCampaign };
}

function figuresAt(groups: Map<string, Figures>, name: string): Figures {
  const figures = groups.get(name) ?? noFigures();
  groups.set(name, figures);
  return figures;
}

function noFigures(): Figures {
  return { clicks: 0, otherClicks: { ...NO_OTHER_CLICKS }, installs: 0, opens: 0, events: 0 };
}

function add(figures: Figures, { kind, visitor, n }: LinkCount): void {
  if (kind !== 'click') figures[FIELD_OF_KIND[kind]] += n;
  else if (visitor === 'human') figures.clicks += n;
  else if (visitor !== '') figures.otherClicks[visitor] += n;
}
