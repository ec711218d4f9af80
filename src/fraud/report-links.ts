import { type Actor, canSee } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { findLinks, type LinkRow, listLinks } from '../links/index.ts';
import { type DaysInput, readDays } from '../server/days.ts';
import { type LinkSums, sumLinkCounts } from '../stats/index.ts';
import {
  type AssessedLink,
  assessLinks,
  type LinkEvidence,
  type Networks,
  ordinaryShareOf,
} from './assess-links.ts';
import { sampleHits } from './sample-hits.ts';

const MAX_DAYS = 31;
/** Of the most clicked links in the sample, and as many of the newest links. */
const MAX_LINKS = 1_000;
/** Some milliseconds of SQLite's reader, which serves other reads in between. */
const LINKS_AT_ONCE = 50;
const MAX_LISTED = 100;

const NO_NETWORKS: Networks = { clicks: 0, distinct: 0, largest: 0 };

/** Days in UTC, such as 2026-01-31. */
export interface LinkComparison {
  readonly fromDay: string;
  readonly toDay: string;
  /** Installs per claimable click of the median link; null for too few links. */
  readonly ordinaryShare: number | null;
  readonly linksCompared: number;
  /** The most suspicious, at most 100. */
  readonly links: readonly AssessedLink[];
}

/**
 * Compares installs and networks of an app's links: live links for a live key, sandbox links for a test key.
 * Includes all clicks that this process has acknowledged.
 * @throws AppError `request.invalid` as `readDays`, `clicks.behind`.
 */
export async function reportLinks(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  { actor, from, to }: DaysInput & { actor: Actor },
): Promise<LinkComparison> {
  const days = readDays({ clock }, { from, to }, MAX_DAYS);
  const period = { ...days, sandbox: toFlag(actor.mode === 'test') };
  await counted(actor.appId);
  const sums = await sumLinkCounts(db, actor.appId, period);
  const sampled = await sampleHits(db, actor.appId, period);
  // Keyed by id: a link created meanwhile shifts another one onto the next page.
  const evidence = new Map<string, LinkEvidence>();
  for await (const links of linksToCompare(db, actor, [...sampled.keys()]))
    for (const link of links)
      evidence.set(link.id, toEvidence(link, sums.get(link.id), sampled.get(link.id)));
  const clicked = [...evidence.values()].filter(({ clicks, toolClicks }) => clicks + toolClicks > 0);
  const ordinaryShare = ordinaryShareOf(clicked);
  const links = assessLinks(clicked, ordinaryShare).slice(0, MAX_LISTED);
  return { ...days, ordinaryShare, linksCompared: clicked.length, links };
}

/** The newest links, then the most clicked ones, in batches; each once, without deleted ones. */
async function* linksToCompare(
  db: Db,
  actor: Actor,
  sampledIds: readonly string[],
): AsyncGenerator<LinkRow[]> {
  const clicked = new Set(sampledIds.slice(0, MAX_LINKS));
  const page = { campaignId: null, sandboxOnly: actor.mode === 'test', limit: LINKS_AT_ONCE };
  for (let offset = 0; offset < MAX_LINKS; offset += LINKS_AT_ONCE) {
    const links = await listLinks(db, actor.appId, { ...page, offset });
    for (const { id } of links) clicked.delete(id);
    yield links;
    if (links.length < LINKS_AT_ONCE) break;
  }
  const others = [...clicked];
  for (let start = 0; start < others.length; start += LINKS_AT_ONCE) {
    const links = await findLinks(db, actor.appId, others.slice(start, start + LINKS_AT_ONCE));
    // A link may have left the sandbox after its clicks.
    yield links.filter((link) => canSee(actor, link));
  }
}

const NO_SUMS: LinkSums = { clicks: 0, toolClicks: 0, installs: 0 };

function toEvidence(link: LinkRow, sums = NO_SUMS, networks = NO_NETWORKS): LinkEvidence {
  return { shortCode: link.short_code, campaignId: link.campaign_id, ...sums, networks };
}
