import { setImmediate as othersTurn } from 'node:timers/promises';
import { type AppRow, findApp, type LandingPage, shortLinkBase } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type LinkedApp, type LinkRow, type ResolvedLink, shortUrlOf } from './link.ts';
import { findLinks, findShortCode } from './queries.ts';

/** Reads links as taps need them; null where there is none, or none any more. */
export interface LinkResolver {
  byCode(code: string): Promise<ResolvedLink | null>;
  /** The same link as it is now: what a code means never changes. */
  again(link: ResolvedLink): Promise<ResolvedLink | null>;
}

/** The links of one app that are read next. */
interface Batch {
  readonly ids: string[];
  readonly links: Promise<ReadonlyMap<string, ResolvedLink>>;
}

/**
 * All links of an app that are asked for in one turn of the event loop share a statement: where taps spread over
 * thousands of links, most taps come to one that was not read for a second.
 */
export function createLinkResolver(ctx: Ctx): LinkResolver {
  const gathering = new Map<string, Batch>();

  function gather(appId: string): Batch {
    const ids: string[] = [];
    const links = othersTurn().then(() => {
      gathering.delete(appId);
      return readLinks(ctx, appId, ids);
    });
    const batch = { ids, links };
    gathering.set(appId, batch);
    return batch;
  }

  async function read(appId: string, id: string): Promise<ResolvedLink | null> {
    const { ids, links } = gathering.get(appId) ?? gather(appId);
    ids.push(id);
    return (await links).get(id) ?? null;
  }

  return {
    async byCode(code) {
      const entry = await findShortCode(ctx.db, code);
      return entry === undefined ? null : await read(entry.app_id, entry.link_id);
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
    deepLinkParams: JSON.parse(link.deep_link_params) as Record<string, unknown>,
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
