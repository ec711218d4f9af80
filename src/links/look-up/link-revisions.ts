import { LRUCache } from 'lru-cache';
import { findLinksRevision } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isFresh, MAX_AGE_MS } from '../../lib/cache.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';

/**
 * Caches the links revision of each app, which every change of the app or its links increments. Reading it once a second
 * replaces reading each cached link.
 */
export interface LinkRevisions {
  /** At most a second old; a promise unless cached. */
  get(appId: string): Revision | Promise<Revision>;
  /** The last known revision of any age, or null. Links read after this call are of this revision or a later one. */
  peek(appId: string): Revision | null;
}

interface Revision {
  readonly number: number;
  /** When this process first read it. */
  readonly seenAtMs: number;
}

interface CachedRevision {
  readonly revision: Revision;
  readonly readAtMs: number;
  /** Monotonic start of the read. */
  readonly startedMs: number;
}

interface RevisionRead {
  readonly revision: Promise<Revision>;
  readonly startedMs: number;
}

const MAX_APPS = 10_000;
/** Age from which a revision is refreshed in the background, before it expires. */
const REFRESH_AFTER_MS = MAX_AGE_MS / 2;
/** On a cluster, the node of a link may commit after the node of its app. */
const SETTLES_WITHIN_MS = 2 * SECOND_MS;

export function createLinkRevisions({ db, clock }: Pick<Foundation, 'db' | 'clock'>): LinkRevisions {
  const cached = new LRUCache<string, CachedRevision>({ max: MAX_APPS });
  const pending = new Map<string, RevisionRead>();

  function read(appId: string): RevisionRead {
    const [readAtMs, startedMs] = [clock.nowMs(), monotonicMs()];
    const revision = findLinksRevision(db, appId)
      .then((number) => store(appId, number, { readAtMs, startedMs }))
      .finally(() => {
        if (pending.get(appId) === reading) pending.delete(appId);
      });
    const reading = { revision, startedMs };
    // Background refreshes do not handle the rejection.
    revision.catch(() => undefined);
    pending.set(appId, reading);
    return reading;
  }

  function store(appId: string, number: number, time: Omit<CachedRevision, 'revision'>): Revision {
    const before = cached.get(appId);
    if (before !== undefined && before.startedMs > time.startedMs) return before.revision;
    const nowMs = clock.nowMs();
    const isSame = before?.revision.number === number && before.revision.seenAtMs <= nowMs;
    const revision = isSame ? before.revision : { number, seenAtMs: nowMs };
    cached.set(appId, { revision, ...time });
    return revision;
  }

  /** Shares a pending read unless it hangs, which may be due to its connection. */
  function readShared(appId: string): Promise<Revision> {
    const reading = pending.get(appId);
    const isRecent = reading !== undefined && monotonicMs() - reading.startedMs < MAX_AGE_MS;
    return (isRecent ? reading : read(appId)).revision;
  }

  return {
    get(appId) {
      const entry = cached.get(appId);
      const nowMs = clock.nowMs();
      if (entry === undefined || !isFresh(entry.readAtMs, nowMs)) return readShared(appId);
      if (!isFresh(entry.readAtMs, nowMs, REFRESH_AFTER_MS)) readShared(appId);
      return entry.revision;
    },
    peek(appId) {
      const entry = cached.get(appId);
      if (entry === undefined) readShared(appId);
      return entry?.revision ?? null;
    },
  };
}

/** Whether a link read at `readAtMs` is of this revision, not of the one before. */
export function isSettled({ seenAtMs }: Revision, readAtMs: number): boolean {
  return readAtMs - seenAtMs >= SETTLES_WITHIN_MS;
}
