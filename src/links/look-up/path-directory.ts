import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { createBatchedReads } from './batched-reads.ts';
import { MAX_PATH_CHARACTERS, prefixesOf } from './link-address.ts';
import type { LinkRevisions } from './link-revisions.ts';
import { findPaths, findPathsByLetters, type PathOwner } from './path-queries.ts';
import { createRevisedCache } from './revised-cache.ts';

/** The link of a path, and what follows the link's own. */
interface FoundPath {
  readonly code: string;
  readonly rest: string | null;
}

/** Finds links by their paths at the host of an app. */
export interface PathDirectory {
  /** In the order of `docs/guide/links.md`. @throws AppError `database.unavailable` if the path is not cached. */
  find(appId: string, path: string): Promise<FoundPath | null>;
  /** Call it after this process changed the path of a link of the app. */
  revise(appId: string): void;
}

const MAX_CACHED = 100_000;
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
const MAX_CACHED_UNKNOWN = 10_000;
const MAX_REVISED_APPS = 10_000;
/** Of `app_id` as text. */
const ID_CHARACTERS = 36;

/** The key of a path in the caches: the app, a space and the path. */
const keyOf = (appId: string, path: string) => `${appId} ${path}`;
const appOf = (key: string) => key.slice(0, ID_CHARACTERS);
const pathOf = (key: string) => key.slice(ID_CHARACTERS + 1);

export function createPathDirectory(
  { db, clock, warn }: Pick<Foundation, 'clock'> & { db: Db; warn: (error: unknown) => void },
  revisions: LinkRevisions,
): PathDirectory {
  const epochs = new LRUCache<string, number>({ max: MAX_REVISED_APPS });
  let lastEpoch = 0;
  const bounds = { max: MAX_CACHED, maxSize: MAX_CACHED_CHARACTERS, maxUnknown: MAX_CACHED_UNKNOWN };
  const common = {
    ...{ clock, revisions, ...bounds, appOf, warn },
    epochOf: (key: string) => epochs.get(appOf(key)) ?? 0,
  };

  const readExact = createBatchedReads<PathOwner>({ clock, revisions }, (appId, paths) =>
    findPaths(db, appId, paths),
  );
  const exact = createRevisedCache<PathOwner>({
    ...common,
    sizeOf: ({ code }, key) => key.length + code.length,
    load: (key) => readExact(appOf(key), pathOf(key)),
  });
  const readLetters = createBatchedReads<{ readonly code: string }>({ clock, revisions }, (appId, paths) =>
    findPathsByLetters(db, appId, paths),
  );
  const byLetters = createRevisedCache<{ readonly code: string }>({
    ...common,
    sizeOf: ({ code }, key) => key.length + code.length,
    load: (key) => readLetters(appOf(key), pathOf(key)),
  });

  /** Of a link with `passPath` above the path. */
  async function findAbove(appId: string, path: string): Promise<FoundPath | 'deleted' | null> {
    const prefixes = prefixesOf(path);
    const owners = await Promise.all(prefixes.map((prefix) => exact.get(keyOf(appId, prefix.path))));
    for (const [place, owner] of owners.entries()) {
      if (owner === null || !owner.passPath) continue;
      return owner.isDeleted ? 'deleted' : { code: owner.code, rest: prefixes[place]?.rest ?? null };
    }
    return null;
  }

  return {
    async find(appId, path) {
      const isWhole = path.length <= MAX_PATH_CHARACTERS;
      const owner = isWhole ? await exact.get(keyOf(appId, path)) : null;
      // The path of a deleted link is not another's, in whatever letters.
      if (owner !== null) return owner.isDeleted ? null : { code: owner.code, rest: null };
      const above = await findAbove(appId, path);
      if (above !== null) return above === 'deleted' ? null : above;
      const other = isWhole ? await byLetters.get(keyOf(appId, path.toLowerCase())) : null;
      return other === null ? null : { code: other.code, rest: null };
    },
    revise(appId) {
      lastEpoch += 1;
      epochs.set(appId, lastEpoch);
    },
  };
}
