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

export interface Revision {
  readonly number: number;
  /** When this process first saw it. */
  readonly seenAtMs: number;
}

interface Seen {
  readonly revision: Revision;
  readonly readAtMs: number;
  /** By the monotonic clock, as that of a reading. */
  readonly startedMs: number;
}

interface Reading {
  readonly revision: Promise<Revision>;
  readonly startedMs: number;
}

const MAX_APPS = 10_000;
/** From this age on it is read anew, while it is still believed: nobody waits for it where taps keep coming. */
const READ_AHEAD_MS = TRUST_MS / 2;
/** On a cluster the link's node may commit a moment after the app's. */
const SETTLES_WITHIN_MS = 2 * SECOND_MS;

export function createLinkRevisions({ db, clock }: Ctx): LinkRevisions {
  const seen = new LRUCache<string, Seen>({ max: MAX_APPS });
  const underWay = new Map<string, Reading>();

  function read(appId: string): Reading {
    const [readAtMs, startedMs] = [clock.nowMs(), monotonicMs()];
    const revision = findLinksRevision(db, appId)
      .then((number) => note(appId, { number, readAtMs, startedMs }))
      .finally(() => {
        if (underWay.get(appId) === reading) underWay.delete(appId);
      });
    const reading = { revision, startedMs };
    // Whoever only looks whether it is known does not wait for it.
    revision.catch(() => undefined);
    underWay.set(appId, reading);
    return reading;
  }

  function note(
    appId: string,
    { number, readAtMs, startedMs }: Omit<Seen, 'revision'> & { number: number },
  ): Revision {
    const before = seen.get(appId);
    if (before !== undefined && before.startedMs > startedMs) return before.revision;
    const nowMs = clock.nowMs();
    const isSame = before?.revision.number === number && before.revision.seenAtMs <= nowMs;
    const revision = isSame ? before.revision : { number, seenAtMs: nowMs };
    seen.set(appId, { revision, readAtMs, startedMs });
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
