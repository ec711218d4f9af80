import { LRUCache } from 'lru-cache';
import { type AppRow, findApp, type LandingPage, shortLinkBase } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isUnavailable } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import { type Reading, toReading } from '../platform/reading.ts';
import { remember, TRUST_MS } from '../platform/remember.ts';
import { isShortCode, type LinkedApp, type LinkRow, type ResolvedLink, shortUrlOf } from './link.ts';
import { findLink, findShortCode } from './queries.ts';

/** The only way a short code, or the link of a click, becomes a link: for redirect, SDK and preview alike. */
export interface LinkDirectory {
  /**
   * The link behind a code; null when there is none or it was deleted. At most a second behind a change on another
   * node. With the database away, codes known here still resolve.
   * @throws AppError `database.unavailable` for a code that is not known here while the database is away.
   */
  resolve(code: string): ResolvedLink | null | Promise<ResolvedLink | null>;
  /** The link with this id, deleted or not; null where there is none. At most a second behind as well. */
  find(appId: string, linkId: string): Promise<LinkRow | null>;
  /** A code that is taken from now on is seen here at once. */
  forget(code: string): void;
  /** A change made by this process is seen here at once. */
  forgetLink(link: LinkRow): void;
}

const MAX_REMEMBERED = 100_000;
/** Apart from the links, so that somebody who tries codes out cannot push known links out. */
const MAX_REMEMBERED_UNKNOWN = 10_000;

type Known = { link: ResolvedLink | null; readAtMs: number };

export function createLinkDirectory(ctx: Ctx): LinkDirectory {
  const links = new LRUCache<string, Known>({ max: MAX_REMEMBERED });
  const unknown = new LRUCache<string, Known>({ max: MAX_REMEMBERED_UNKNOWN });
  const underWay = new Map<string, Reading<ResolvedLink | null>>();
  const rows = remember(ctx.clock, async (key) => {
    const [appId = '', linkId = ''] = key.split(' ');
    return (await findLink(ctx.db, appId, linkId)) ?? null;
  });

  function read(code: string): Reading<ResolvedLink | null> {
    const readAtMs = ctx.clock.nowMs();
    const reading = toReading(
      readLink(ctx, code)
        .then((link) => {
          // A link forgotten meanwhile was changed after this read began.
          if (underWay.get(code) !== reading) return link;
          (link === null ? unknown : links).set(code, { link, readAtMs });
          (link === null ? links : unknown).delete(code);
          return link;
        })
        .finally(() => {
          if (underWay.get(code) === reading) underWay.delete(code);
        }),
    );
    underWay.set(code, reading);
    return reading;
  }

  function forget(code: string): void {
    links.delete(code);
    unknown.delete(code);
    underWay.delete(code);
  }

  return {
    resolve(code) {
      if (!isShortCode(code)) return null;
      const entry = links.get(code) ?? unknown.get(code);
      if (entry !== undefined && ctx.clock.nowMs() - entry.readAtMs <= TRUST_MS) return entry.link;
      const fresh = underWay.get(code) ?? read(code);
      return entry === undefined ? orUnavailable(fresh) : orStale(fresh, entry);
    },
    find: (appId, linkId) => rows.get(rowKey(appId, linkId)),
    forget,
    forgetLink({ app_id, id, short_code }) {
      forget(short_code);
      rows.forget(rowKey(app_id, id));
    },
  };
}

function rowKey(appId: string, linkId: string): string {
  return `${appId} ${linkId}`;
}

async function orUnavailable({ value }: Reading<ResolvedLink | null>): Promise<ResolvedLink | null> {
  return await value.catch((error: unknown) => {
    throw isUnavailable(error) ? new AppError('database.unavailable', { cause: error }) : error;
  });
}

/** What was known before, where the database is away or does not answer in time. */
async function orStale(
  { value, late }: Reading<ResolvedLink | null>,
  stale: Known,
): Promise<ResolvedLink | null> {
  const settled = value.catch((error: unknown) => {
    if (isUnavailable(error)) return stale.link;
    throw error;
  });
  return await Promise.race([settled, late.then(() => stale.link)]);
}

async function readLink(ctx: Ctx, code: string): Promise<ResolvedLink | null> {
  const entry = await findShortCode(ctx.db, code);
  if (entry === undefined) return null;
  const [link, app] = await Promise.all([
    findLink(ctx.db, entry.app_id, entry.link_id),
    findApp(ctx.db, entry.app_id),
  ]);
  if (link === undefined || app === undefined || link.deleted_at !== null) return null;
  return toResolved(link, app, shortLinkBase(ctx.config, app));
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
