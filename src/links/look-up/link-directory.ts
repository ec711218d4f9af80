import { isReservedPath } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import { createCache } from '../../lib/cache.ts';
import { findRule } from '../choice/kept-rules.ts';
import type { LinkRule } from '../choice/rules.ts';
import { isShortCode, type LinkRow, type ResolvedLink } from '../link.ts';
import { findLink } from '../queries.ts';
import { createHostSettings, type HostSettings } from './host-settings.ts';
import { createLinkLoader } from './link-loader.ts';
import { createLinkRevisions } from './link-revisions.ts';
import { createPathDirectory } from './path-directory.ts';
import { createRevisedCache } from './revised-cache.ts';

/** The link of an address. */
export interface FoundLink {
  readonly link: ResolvedLink;
  /** What follows the link's own address, decoded; null if nothing does. Only links with `passPath` have one. */
  readonly rest: string | null;
}

/** Resolves short codes and paths for all modules. Sees changes of other processes within a second. */
export interface LinkDirectory {
  /**
   * Returns null for unknown codes and deleted links. While the database is unavailable, serves cached links.
   * @throws AppError `database.unavailable` if the link is not cached.
   */
  resolve(code: string): Promise<ResolvedLink | null>;
  /**
   * The link at a path of the app's own host, as `LinkAddress` has it: by the whole path, else by its longest beginning that
   * is a link with `passPath`, else by the path in other letters. @throws AppError as `resolve`.
   */
  resolvePath(appId: string, path: string): Promise<FoundLink | null>;
  /** Null for an app that does not exist. @throws AppError as `resolve`. */
  settingsOf(appId: string): Promise<HostSettings | null>;
  /** Deleted links included: their clicks still count. */
  find(appId: string, linkId: string): Promise<LinkRow | undefined>;
  /** A rule that the link has or had. */
  findRule(rule: { appId: string; linkId: string; id: string }): Promise<LinkRule | undefined>;
  /** To be called after this process created or changed a link. */
  invalidate(link: { appId: string; id: string; shortCode: string }): void;
}

const MAX_CACHED = 100_000;
/** As JSON. Reached only by links of unusual length, of which it holds some 2,800 at their maximum. */
const MAX_CACHED_CHARACTERS = 64 * 1024 * 1024;
const MAX_CACHED_UNKNOWN = 10_000;

export function createLinkDirectory({
  db,
  clock,
  config,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>): LinkDirectory {
  const warn = (error: unknown) => log.error({ err: error }, 'Failed to read links; serving cached ones');
  const revisions = createLinkRevisions({ db, clock });
  const loader = createLinkLoader({ db, clock, config }, revisions);
  const links = createRevisedCache<ResolvedLink>({
    ...{ clock, revisions, warn },
    ...{ max: MAX_CACHED, maxSize: MAX_CACHED_CHARACTERS, maxUnknown: MAX_CACHED_UNKNOWN },
    sizeOf: (link) => JSON.stringify(link).length,
    appOf: (_code, link) => link?.appId,
    load: (code, present) => (present === null ? loader.byCode(code) : loader.reload(present)),
  });
  const paths = createPathDirectory({ db, clock, warn }, revisions);
  const settings = createHostSettings({ db, clock, warn }, revisions);
  const rows = createCache(clock, async (key) => {
    const [appId = '', linkId = ''] = key.split(' ');
    return await findLink(db, appId, linkId);
  });
  const resolve = async (code: string) => (isShortCode(code) ? await links.get(code) : null);
  const rules = createCache(clock, async (key) => {
    const [appId = '', linkId = '', id = ''] = key.split(' ');
    return await findRule(db, { appId, linkId, id });
  });

  return {
    resolve,
    async resolvePath(appId, path) {
      const found = isReservedPath(path) ? null : await paths.find(appId, path);
      const link = found === null ? null : await resolve(found.code);
      return found === null || link === null ? null : { link, rest: found.rest };
    },
    settingsOf: settings.get,
    find: (appId, linkId) => rows.get(`${appId} ${linkId}`),
    findRule: ({ appId, linkId, id }) => rules.get(`${appId} ${linkId} ${id}`),
    invalidate({ appId, id, shortCode }) {
      links.forget(shortCode);
      paths.revise(appId);
      rows.forget(`${appId} ${id}`);
    },
  };
}
