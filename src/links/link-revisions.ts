import { LRUCache } from 'lru-cache';
import { findLinksRevision } from '../apps/index.ts';
import { monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isTrusted, TRUST_MS } from '../platform/remember.ts';

/**
 * Whether links that are known are still as they were read: each change of an app's links, and of the app, makes another
 * revision, so that one look at the app replaces one at each of its links.
 */
export interface LinkRevisions {
  /** The app's revision, at most a second behind; a promise where it is not known from a moment ago. */
  of(appId: string): Revision | Promise<Revision>;
  /**
   * The one that was seen last, however long ago, without waiting; null where none was yet. What is read from now on is
   * of this one or of a later one.
   */
  last(appId: string): Revision | null;
}

interface Revision {
  readonly number: number;
  /** When this process first saw it. */
  readonly seenAtMs: number;
}

/** When a revision was read: by the clock that may be set, and by the monotonic one. */
interface ReadTime {
  readonly readAtMs: number;
  readonly startedMs: number;
}

interface Seen extends ReadTime {
  readonly revision: Revision;
}

interface UnderWay extends ReadTime {
  readonly revision: Promise<Revision>;
}

const MAX_APPS = 10_000;
/** From this age on it is read anew, while it is still believed: nobody waits for it where taps keep coming. */
const READ_AHEAD_MS = TRUST_MS / 2;
/** On a cluster the link's node may commit a moment after the app's. */
const SETTLES_WITHIN_MS = 2 * SECOND_MS;

/** Those who ask for the same app at the same time share one reading, unless that hangs. */
export function createLinkRevisions({ db, clock }: Ctx): LinkRevisions {
  const seen = new LRUCache<string, Seen>({ max: MAX_APPS });
  const underWay = new Map<string, UnderWay>();

  function read(appId: string): UnderWay {
    const time = { readAtMs: clock.nowMs(), startedMs: monotonicMs() };
    const revision = findLinksRevision(db, appId)
      .then((number) => note(appId, number, time))
      .finally(() => {
        if (underWay.get(appId) === reading) underWay.delete(appId);
      });
    const reading = { revision, ...time };
    // Whoever only looks whether it is known does not wait for it.
    revision.catch(() => undefined);
    underWay.set(appId, reading);
    return reading;
  }

  function note(appId: string, number: number, time: ReadTime): Revision {
    const before = seen.get(appId);
    if (before !== undefined && before.startedMs > time.startedMs) return before.revision;
    const nowMs = clock.nowMs();
    const isSame = before?.revision.number === number && before.revision.seenAtMs <= nowMs;
    const revision = isSame ? before.revision : { number, seenAtMs: nowMs };
    seen.set(appId, { revision, ...time });
    return revision;
  }

  /** Another one than that under way where that hangs: its connection may be dead, and others not. */
  function readOnce(appId: string): Promise<Revision> {
    const reading = underWay.get(appId);
    const isYoung = reading !== undefined && monotonicMs() - reading.startedMs < TRUST_MS;
    return (isYoung ? reading : read(appId)).revision;
  }

  return {
    of(appId) {
      const known = seen.get(appId);
      const nowMs = clock.nowMs();
      if (known === undefined || !isTrusted(known.readAtMs, nowMs)) return readOnce(appId);
      if (!isTrusted(known.readAtMs, nowMs, READ_AHEAD_MS)) readOnce(appId);
      return known.revision;
    },
    last(appId) {
      const known = seen.get(appId);
      if (known === undefined) readOnce(appId);
      return known?.revision ?? null;
    },
  };
}

/** Whether a link that is read at a time is of its app's revision, rather than of the one before. */
export function isSettled({ seenAtMs }: Revision, readAtMs: number): boolean {
  return readAtMs - seenAtMs >= SETTLES_WITHIN_MS;
}
