import { LRUCache } from 'lru-cache';
import { findLinksRevision } from '../apps/index.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isTrusted, TRUST_MS } from '../platform/remember.ts';

/**
 * Whether links that are known are still as they were read: each change of an app's links, and of the app, makes another
 * revision, so that one look at the app replaces one at each of its links.
 */
export interface LinkRevisions {
  /** The app's revision, at most a second behind; a promise where it is not known from a moment ago. */
  of(appId: string): Revision | Promise<Revision>;
}

export interface Revision {
  readonly number: number;
  /** When this process first saw it. */
  readonly seenAtMs: number;
}

interface Known {
  readonly revision: Revision;
  readonly readAtMs: number;
}

const MAX_APPS = 10_000;
/** From this age on it is read anew, while it is still believed: nobody waits for it where taps keep coming. */
const READ_AHEAD_MS = TRUST_MS / 2;
/** For so long after a change, links are read with their nodes' commits perhaps under way. */
const SETTLES_WITHIN_MS = 2 * SECOND_MS;

export function createLinkRevisions({ db, clock }: Ctx): LinkRevisions {
  const known = new LRUCache<string, Known>({ max: MAX_APPS });
  const underWay = new Map<string, Promise<Revision>>();

  function read(appId: string): Promise<Revision> {
    const readAtMs = clock.nowMs();
    const reading = findLinksRevision(db, appId)
      .then((number) => {
        const before = known.get(appId)?.revision;
        const revision = before?.number === number ? before : { number, seenAtMs: readAtMs };
        known.set(appId, { revision, readAtMs });
        return revision;
      })
      .finally(() => underWay.delete(appId));
    // Whoever only looks whether it is known does not wait for it.
    reading.catch(() => undefined);
    underWay.set(appId, reading);
    return reading;
  }

  return {
    of(appId) {
      const entry = known.get(appId);
      const nowMs = clock.nowMs();
      if (entry === undefined || !isTrusted(entry.readAtMs, nowMs)) return underWay.get(appId) ?? read(appId);
      if (!isTrusted(entry.readAtMs, nowMs, READ_AHEAD_MS) && !underWay.has(appId)) read(appId);
      return entry.revision;
    },
  };
}

/**
 * Whether a link that was read at a time is of its app's revision, rather than of the one before: on a cluster, the
 * link's node may commit a moment after the app's.
 */
export function isSettled({ seenAtMs }: Revision, readAtMs: number): boolean {
  return readAtMs - seenAtMs >= SETTLES_WITHIN_MS;
}
