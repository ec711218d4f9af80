import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { createCache, isFresh, type PendingRead, toPendingRead } from '../lib/cache.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { detachString } from '../lib/text.ts';
import { isShortCode, type LinkRow, type ResolvedLink } from './link.ts';
import { createLinkLoader, type LoadedLink } from './link-loader.ts';
import { createLinkRevisions } from './link-revisions.ts';
import { findLink, findRule } from './queries.ts';
import type { LinkRule } from './rules.ts';

/** Resolves short codes for all modules. Sees changes of other processes within a second. */
export interface LinkDirectory {
  /**
   * Returns null for unknown codes and deleted links. While the database is unavailable, serves cached links.
   * @throws AppError `database.unavailable` if the link is not cached.
   */
  resolve(code: string): Promise<ResolvedLink | null>;
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
/** Separate, so that guessed codes cannot evict links. */
const MAX_CACHED_UNKNOWN = 10_000;

/** Bounds the age of links whose revision is unchanged, for changes made directly in the database. */
const TRUST_UNCHANGED_MS = MINUTE_MS;

interface CachedLink extends LoadedLink {
  readonly readAtMs: number;
}

export function createLinkDirectory({
  db,
  clock,
  config,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>): LinkDirectory {
  // Unlike `createCache`, these serve outdated links while the database is unavailable.
  const links = new LRUCache<string, CachedLink>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ link }) => JSON.stringify(link).length,
  });
  const unknown = new LRUCache<string, CachedLink>({ max: MAX_CACHED_UNKNOWN });
  const pending = new Map<string, PendingRead<ResolvedLink | null>>();
  const revisions = createLinkRevisions({ db, clock });
  const loader = createLinkLoader({ db, clock, config }, revisions);
  const rows = createCache(clock, async (key) => {
    const [appId = '', linkId = ''] = key.split(' ');
    return await findLink(db, appId, linkId);
  });
  const rules = createCache(clock, async (key) => {
    const [appId = '', linkId = '', id = ''] = key.split(' ');
    return await findRule(db, { appId, linkId, id });
  });

  /** Whether an entry is fresh, or of its app's cached revision. */
  function isCurrent(entry: CachedLink): boolean {
    if (isFresh(entry.readAtMs, clock.nowMs())) return true;
    if (entry.link === null || !mayBeUnchanged(entry)) return false;
    const revision = revisions.get(entry.link.appId);
    return !(revision instanceof Promise) && revision.number === entry.revision;
  }

  function mayBeUnchanged({ revision, readAtMs }: CachedLink): boolean {
    return revision !== null && isFresh(readAtMs, clock.nowMs(), TRUST_UNCHANGED_MS);
  }

  async function reload(entry: CachedLink, link: ResolvedLink): Promise<LoadedLink> {
    if (mayBeUnchanged(entry) && (await revisions.get(link.appId)).number === entry.revision) return entry;
    return await loader.reload(link);
  }

  function read(codeInUrl: string, cached: CachedLink | undefined): PendingRead<ResolvedLink | null> {
    const code = detachString(codeInUrl);
    const readAtMs = clock.nowMs();
    const reading = toPendingRead(
      (cached?.link ? reload(cached, cached.link) : loader.byCode(code))
        .then((loaded) => {
          const { link, revision } = loaded;
          // After an invalidation the result may be outdated.
          if (loaded === cached || pending.get(code) !== reading) return link;
          (link === null ? unknown : links).set(code, { link, revision, readAtMs });
          (link === null ? links : unknown).delete(code);
          return link;
        })
        .finally(() => {
          if (pending.get(code) === reading) pending.delete(code);
        }),
    );
    pending.set(code, reading);
    return reading;
  }

  function warn(error: unknown): void {
    log.error({ err: error }, 'Failed to read links; serving cached ones');
  }

  return {
    async resolve(code) {
      if (!isShortCode(code)) return null;
      const entry = links.get(code) ?? unknown.get(code);
      if (entry !== undefined && isCurrent(entry)) return entry.link;
      const reading = pending.get(code) ?? read(code, entry);
      // An expired unknown code is not served: its link may exist by now.
      return await (entry?.link ? valueOrStale(reading, entry.link, warn) : valueOrUnavailable(reading));
    },
    find: (appId, linkId) => rows.get(`${appId} ${linkId}`),
    findRule: ({ appId, linkId, id }) => rules.get(`${appId} ${linkId} ${id}`),
    invalidate({ appId, id, shortCode }) {
      links.delete(shortCode);
      unknown.delete(shortCode);
      pending.delete(shortCode);
      rows.forget(`${appId} ${id}`);
    },
  };
}

async function valueOrUnavailable({ value }: PendingRead<ResolvedLink | null>): Promise<ResolvedLink | null> {
  return await value.catch((error: unknown) => {
    throw isUnavailable(error) ? new AppError('database.unavailable', { cause: error }) : error;
  });
}

/** Falls back to the stale link if the read fails or is slow. */
async function valueOrStale(
  { value, timeout }: PendingRead<ResolvedLink | null>,
  stale: ResolvedLink,
  warn: (error: unknown) => void,
): Promise<ResolvedLink | null> {
  const settled = value.catch((error: unknown) => {
    if (!isUnavailable(error)) warn(error);
    return stale;
  });
  return await Promise.race([settled, timeout.then(() => stale)]);
}
