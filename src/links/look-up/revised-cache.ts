import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import { isFresh, type PendingRead, toPendingRead } from '../../lib/cache.ts';
import { type Clock, MINUTE_MS } from '../../lib/clock.ts';
import { detachString } from '../../lib/text.ts';
import type { LinkRevisions } from './link-revisions.ts';

/** A value as it was read. */
export interface Loaded<T> {
  /** Null if there is none. */
  readonly value: T | null;
  /** Number of a revision of the app that the value is at least as new as; null if uncertain. */
  readonly revision: number | null;
}

/**
 * Values of apps that are at most a second behind: fresh for 0.8 s, then for up to a minute while the app's revision is
 * unchanged. Unlike `createCache`, it serves outdated values while the database is unavailable.
 */
export interface RevisedCache<T> {
  /** Null if there is none. @throws AppError `database.unavailable` if it is not cached. */
  get(key: string): Promise<T | null>;
  /** Call it after a change in this process: later reads see it. */
  forget(key: string): void;
}

interface RevisedCacheOptions<T> {
  readonly clock: Clock;
  readonly revisions: LinkRevisions;
  readonly max: number;
  /** In characters. */
  readonly maxSize: number;
  /** Separate, so that guessed keys cannot evict values. */
  readonly maxUnknown: number;
  readonly sizeOf: (value: T, key: string) => number;
  /** Undefined if it is not known: then the absence is trusted while fresh only. */
  readonly appOf: (key: string, value: T | null) => string | undefined;
  /** Differs after a change in this process that affects keys which it cannot name. */
  readonly epochOf?: (key: string) => number;
  /** @param present the outdated value. */
  readonly load: (key: string, present: T | null) => Promise<Loaded<T>>;
  readonly warn: (error: unknown) => void;
}

/** Bounds the age of values whose revision is unchanged, for changes made directly in the database. */
const TRUST_UNCHANGED_MS = MINUTE_MS;

interface Entry<T> extends Loaded<T> {
  readonly readAtMs: number;
  readonly epoch: number;
}

interface EntryRead<T> extends PendingRead<T | null> {
  readonly epoch: number;
}

export function createRevisedCache<T extends object>(options: RevisedCacheOptions<T>): RevisedCache<T> {
  const { clock, revisions, max, maxSize, maxUnknown, appOf, warn } = options;
  const { epochOf = () => 0 } = options;
  const known = new LRUCache<string, Entry<T>>({
    max,
    maxSize,
    sizeCalculation: ({ value }, key) => (value === null ? 1 : options.sizeOf(value, key)),
  });
  const unknown = new LRUCache<string, Entry<T>>({ max: maxUnknown });
  const pending = new Map<string, EntryRead<T>>();

  /** Whether an entry is fresh, or of its app's cached revision. */
  function isCurrent(key: string, entry: Entry<T>): boolean {
    if (entry.epoch !== epochOf(key)) return false;
    if (isFresh(entry.readAtMs, clock.nowMs())) return true;
    const appId = mayBeUnchanged(entry) ? appOf(key, entry.value) : undefined;
    if (appId === undefined) return false;
    const revision = revisions.get(appId);
    return !(revision instanceof Promise) && revision.number === entry.revision;
  }

  function mayBeUnchanged({ revision, readAtMs }: Entry<T>): boolean {
    return revision !== null && isFresh(readAtMs, clock.nowMs(), TRUST_UNCHANGED_MS);
  }

  async function reload(key: string, entry: Entry<T>): Promise<Loaded<T>> {
    const appId = appOf(key, entry.value);
    const mayStay = appId !== undefined && entry.epoch === epochOf(key) && mayBeUnchanged(entry);
    if (mayStay && (await revisions.get(appId)).number === entry.revision) return entry;
    return await options.load(key, entry.value);
  }

  function read(keyOfCaller: string, cached: Entry<T> | undefined): EntryRead<T> {
    const key = detachString(keyOfCaller);
    const [readAtMs, epoch] = [clock.nowMs(), epochOf(key)];
    const reading = {
      epoch,
      ...toPendingRead(
        (cached === undefined ? options.load(key, null) : reload(key, cached))
          .then((loaded) => {
            const { value, revision } = loaded;
            // After an invalidation the result may be outdated.
            if (loaded === cached || pending.get(key) !== reading) return value;
            (value === null ? unknown : known).set(key, { value, revision, readAtMs, epoch });
            (value === null ? known : unknown).delete(key);
            return value;
          })
          .finally(() => {
            if (pending.get(key) === reading) pending.delete(key);
          }),
      ),
    };
    pending.set(key, reading);
    return reading;
  }

  return {
    async get(key) {
      const entry = known.get(key) ?? unknown.get(key);
      if (entry !== undefined && isCurrent(key, entry)) return entry.value;
      const shared = pending.get(key);
      const reading = shared?.epoch === epochOf(key) ? shared : read(key, entry);
      // An expired absence is not served: the value may exist by now.
      return await (entry?.value ? valueOrStale(reading, entry.value, warn) : valueOrUnavailable(reading));
    },
    forget(key) {
      known.delete(key);
      unknown.delete(key);
      pending.delete(key);
    },
  };
}

async function valueOrUnavailable<T>({ value }: PendingRead<T>): Promise<T> {
  return await value.catch((error: unknown) => {
    throw isUnavailable(error) ? new AppError('database.unavailable', { cause: error }) : error;
  });
}

/** Falls back to the stale value if the read fails or is slow. */
async function valueOrStale<T>(
  { value, timeout }: PendingRead<T | null>,
  stale: T,
  warn: (error: unknown) => void,
): Promise<T | null> {
  const settled = value.catch((error: unknown) => {
    if (!isUnavailable(error)) warn(error);
    return stale;
  });
  return await Promise.race([settled, timeout.then(() => stale)]);
}
