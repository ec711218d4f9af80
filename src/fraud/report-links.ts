import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Actor, canSee } from '../apps/index.ts';
import { findLinks, type LinkRow, listLinks } from '../links/index.ts';
import { toFlag } from '../platform/db/index.ts';
import { type DaysInput, readDays } from '../platform/http/days.ts';
import { type LinkSums, type StatisticsCtx, sumLinkCounts } from '../statistics/index.ts';
import {
  type AssessedLink,
  assessLinks,
  type LinkEvidence,
  type Networks,
  ordinaryShareOf,
} from './assess-links.ts';
import { sampleHits } from './sample-hits.ts';

const MAX_DAYS = 31;
/** Of the links that are clicked most now, and as many of the newest ones. */
const MAX_LINKS = 1_000;
/** Some milliseconds of the event loop on SQLite, where each of them has counts of every day. */
const LINKS_AT_ONCE = 50;
const MAX_LISTED = 100;

const NO_NETWORKS: Networks = { clicks: 0, distinct: 0, largest: 0 };

/** An app's links of a period, compared with each other; days in UTC such as 2026-01-31. */
export interface LinkComparison {
  readonly fromDay: string;
  readonly toDay: string;
  /** Installs per claimable click of the median link; null where there is nothing to compare with. */
  readonly ordinaryShare: number | null;
  readonly linksCompared: number;
  /** The most suspicious ones, at most 100. */
  readonly links: readonly AssessedLink[];
}

/**
 * Compares the installs and the networks of an app's links: with a live key those of live links, with a test key those of
 * sandbox links. Clicks that this process recorded before are among them.
 * @throws AppError `request.invalid` as `readDays`, `clicks.behind`.
 */
export async function reportLinks(
  ctx: StatisticsCtx,
  { actor, from, to }: DaysInput & { actor: Actor },
): Promise<LinkComparison> {
  const days = readDays(ctx, { from, to }, MAX_DAYS);
  const period = { ...days, sandbox: toFlag(actor.mode === 'test') };
  await ctx.clickLog.applied();
  const sampled = await sampleHits(ctx, actor.appId, period);
  // By id: a link that is created meanwhile moves another onto the next page.
  const found = new Map<string, LinkEvidence>();
  for await (const links of linksToCompare(ctx, actor, [...sampled.keys()])) {
    const linkIds = links.map(({ id }) => id);
    const sums = await sumLinkCounts(ctx, actor.appId, { linkIds, ...period });
    for (const link of links) found.set(link.id, toEvidence(link, sums, sampled.get(link.id)));
    await yieldToEventLoop();
  }
  const clicked = [...found.values()].filter(({ clicks, toolClicks }) => clicks + toolClicks > 0);
  const ordinaryShare = ordinaryShareOf(clicked);
  const links = assessLinks(clicked, ordinaryShare).slice(0, MAX_LISTED);
  return { ...days, ordinaryShare, linksCompared: clicked.length, links };
}

/** The newest links, then those that are clicked most: each once, some at a time, without deleted ones. */
async function* linksToCompare(
  ctx: StatisticsCtx,
  actor: Actor,
  sampledIds: readonly string[],
): AsyncGenerator<LinkRow[]> {
  const waiting = new Set(sampledIds.slice(0, MAX_LINKS));
  const page = { campaignId: null, sandboxOnly: actor.mode === 'test', limit: LINKS_AT_ONCE };
  for (let offset = 0; offset < MAX_LINKS; offset += LINKS_AT_ONCE) {
    const links = await listLinks(ctx.db, actor.appId, { ...page, offset });
    for (const { id } of links) waiting.delete(id);
    yield links;
    if (links.length < LINKS_AT_ONCE) break;
  }
  const others = [...waiting];
  for (let start = 0; start < others.length; start += LINKS_AT_ONCE) {
    const links = await findLinks(ctx, actor.appId, others.slice(start, start + LINKS_AT_ONCE));
    // A link may have left the sandbox since.
    yield links.filter((link) => canSee(actor, link));
  }
}

function toEvidence(link: LinkRow, sums: readonly LinkSums[], networks = NO_NETWORKS): LinkEvidence {
  const sumOf = (kind: 'click' | 'install', visitor: string) =>
    sums.find((sum) => sum.link_id === link.id && sum.kind === kind && sum.visitor === visitor)?.n ?? 0;
  return {
    shortCode: link.short_code,
    campaignId: link.campaign_id,
    clicks: sumOf('click', 'human'),
    toolClicks: sumOf('click', 'tool'),
    installs: sumOf('install', ''),
    networks,
  };
}
