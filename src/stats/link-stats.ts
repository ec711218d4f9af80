import type { LinkCount } from './queries.ts';

const NO_OTHER_CLICKS = {
  tool: 0,
  crawler: 0,
  preview: 0,
  prefetch: 0,
  embedded: 0,
  head: 0,
};

/** A kind of visitor that is not human. */
export type OtherVisitor = keyof typeof NO_OTHER_CLICKS;

/** Visitors that are no humans. */
export const OTHER_VISITORS = Object.keys(NO_OTHER_CLICKS) as readonly OtherVisitor[];

export interface Figures {
  /** By humans. */
  clicks: number;
  otherClicks: Record<OtherVisitor, number>;
  installs: number;
  opens: number;
  events: number;
}

const FIELD_OF_KIND = { install: 'installs', open: 'opens', event: 'events' } as const;

/** A link's figures in total and by group: every day, and other groups with records only. */
export interface LinkFigures {
  readonly totals: Figures;
  readonly byDay: ReadonlyMap<string, Figures>;
  /** Empty text: neither platform. */
  readonly byPlatform: ReadonlyMap<string, Figures>;
  /** Without clicks, which have no method. */
  readonly byMethod: ReadonlyMap<string, Figures>;
  /** Empty text: no campaign. */
  readonly byCampaign: ReadonlyMap<string, Figures>;
}

/** @param days the requested days, in order. */
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
