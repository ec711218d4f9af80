import { type AppRow, findApp, type LandingPage } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import type { LinkRule } from '../choice/rules.ts';
import {
  type LinkRow,
  minAppVersionOf,
  passQueryOf,
  type ResolvedLink,
  type ShortLinkBase,
  shortLinkBaseOf,
  shortUrlOf,
} from '../link.ts';
import { findLinks, findShortCode } from '../queries.ts';
import { createBatchedReads } from './batched-reads.ts';
import type { LinkRevisions } from './link-revisions.ts';
import type { Loaded } from './revised-cache.ts';

/** Loads links with the defaults of their apps. */
export function createLinkLoader(
  { db, clock, config }: Pick<Foundation, 'db' | 'clock' | 'config'>,
  revisions: LinkRevisions,
) {
  const load = createBatchedReads({ clock, revisions }, (appId, ids) =>
    readLinks({ db, config }, appId, ids),
  );
  return {
    async byCode(code: string): Promise<Loaded<ResolvedLink>> {
      const entry = await findShortCode(db, code);
      return entry === undefined ? { value: null, revision: null } : await load(entry.app_id, entry.link_id);
    },
    /** Skips the look-up of the code, whose link never changes. */
    reload: ({ appId, id }: ResolvedLink) => load(appId, id),
  };
}

async function readLinks(
  { db, config }: Pick<Foundation, 'db' | 'config'>,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ResolvedLink>> {
  const [links, app] = await Promise.all([findLinks(db, appId, ids), findApp(db, appId)]);
  if (app === undefined) return new Map();
  const base = shortLinkBaseOf(config, app);
  return new Map(links.map((link) => [link.id, toResolved(link, app, base)]));
}

function toResolved(link: LinkRow, app: AppRow, base: ShortLinkBase): ResolvedLink {
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
    expiredUrl: link.expired_url,
    goneWhenExpired: link.gone_when_expired === 1,
    rules: JSON.parse(link.rules) as LinkRule[],
    passQuery: passQueryOf(link),
    path: link.path,
    passPath: link.pass_path === 1,
    minAppVersion: minAppVersionOf(link),
    iosDestination: link.ios_destination ?? app.ios_destination,
    androidDestination: link.android_destination ?? app.android_destination,
    fallbackUrl: link.fallback_url ?? app.fallback_url,
    ogTitle: link.og_title,
    ogDescription: link.og_description,
    ogImage: link.og_image,
    landingPage: (link.landing_page ?? app.landing_page) as LandingPage,
    app: {
      name: app.name,
      urlScheme: app.url_scheme,
      androidPackage: app.android_package,
      clipboardToken: app.clipboard_token === 1,
    },
  };
}
