import { setImmediate as othersTurn } from 'node:timers/promises';
import { type AppRow, findApp, type LandingPage, shortLinkBase } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type LinkedApp, type LinkRow, type ResolvedLink, shortUrlOf } from './link.ts';
import { isSettled, type LinkRevisions } from './link-revisions.ts';
import { findLinks, findShortCode } from './queries.ts';

/** A link as a tap needs it. */
export interface ReadLink {
  /** Null where there is none, or none any more. */
  readonly link: ResolvedLink | null;
  /** The number of a revision of its app that it is not older than; null where none is known to be settled. */
  readonly revision: number | null;
}

interface LinkResolver {
  byCode(code: string): Promise<ReadLink>;
  /** The same link as it is now: what a code means never changes. */
  again(link: ResolvedLink): Promise<ReadLink>;
}

const NOTHING_FOUND: ReadLink = { link: null, revision: null };

/** The links of one app that are read next. */
interface Batch {
  readonly ids: string[];
  readonly found: Promise<{
    readonly links: ReadonlyMap<string, ResolvedLink>;
    readonly revision: number | null;
  }>;
}

/**
 * All links of an app that are asked for in one turn of the event loop share a statement: where taps spread over
 * thousands of links, a change of one makes all of them be read anew.
 */
export function createLinkResolver(ctx: Ctx, revisions: LinkRevisions): LinkResolver {
  const gathering = new Map<string, Batch>();

  function gather(appId: string): Batch {
    const ids: string[] = [];
    const found = othersTurn().then(async () => {
      gathering.delete(appId);
      // Before the links: what changes meanwhile makes a later one.
      const revision = revisions.last(appId);
      const isOfIt = revision !== null && isSettled(revision, ctx.clock.nowMs());
      return { links: await readLinks(ctx, appId, ids), revision: isOfIt ? revision.number : null };
    });
    const batch = { ids, found };
    gathering.set(appId, batch);
    return batch;
  }

  async function read(appId: string, id: string): Promise<ReadLink> {
    const batch = gathering.get(appId) ?? gather(appId);
    batch.ids.push(id);
    const { links, revision } = await batch.found;
    return { link: links.get(id) ?? null, revision };
  }

  return {
    async byCode(code) {
      const entry = await findShortCode(ctx.db, code);
      return entry === undefined ? NOTHING_FOUND : await read(entry.app_id, entry.link_id);
    },
    again: ({ appId, id }) => read(appId, id),
  };
}

/** By their ids, without those that were deleted. */
async function readLinks(
  ctx: Ctx,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ResolvedLink>> {
  const [links, app] = await Promise.all([findLinks(ctx, appId, ids), findApp(ctx.db, appId)]);
  if (app === undefined) return new Map();
  const base = shortLinkBase(ctx.config, app);
  return new Map(links.map((link) => [link.id, toResolved(link, app, base)]));
}

function toResolved(link: LinkRow, app: AppRow, base: string): ResolvedLink {
  return {
    appId: link.app_id,
    id: link.id,
    shortCode: link.short_code,
    shortUrl: shortUrlOf(base, link),
    deepLinkPath: link.deep_link_path,
    deepLinkParamsText: link.deep_link_params,
    campaignId: link.campaign_id,
    sandbox: link.sandbox === 1,
    expiresAtMs: link.expires_at === null ? null : Date.parse(link.expires_at),
    iosDestination: link.ios_destination ?? app.ios_destination,
    androidDestination: link.android_destination ?? app.android_destination,
    fallbackUrl: link.fallback_url ?? app.fallback_url,
    ogTitle: link.og_title,
    ogDescription: link.og_description,
    ogImage: link.og_image,
    landingPage: (link.landing_page ?? app.landing_page) as LandingPage,
    app: toLinkedApp(app),
  };
}

function toLinkedApp(app: AppRow): LinkedApp {
  return {
    name: app.name,
    urlScheme: app.url_scheme,
    androidPackage: app.android_package,
    clipboardToken: app.clipboard_token === 1,
  };
}
