import { LRUCache } from 'lru-cache';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { createCache } from '../lib/cache.ts';
import { type Clock, HOUR_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Actor } from './actor.ts';
import { hashKey, isKeyShaped, isMistyped, isPublishable, regionOf } from './key.ts';
import { findUnrevokedKeyByHash, updateKeyUse } from './queries.ts';

/** Authenticates keys and records when each was last used. */
export interface KeyRing {
  /** @throws AppError `key.invalid`, `key.ended`, `key.mistyped` or `key.wrong_region`. */
  authenticate(key: string): Promise<Actor>;
  forget(hash: string): void;
  /** Writes pending times of last use. */
  close(): Promise<void>;
}

/** A key that another process revoked works for at most this time; documented as 5 s. */
const MAX_AGE_MS = 3 * SECOND_MS;
const MAX_LAST_USES = 10_000;
/** Resolution of the time of last use. */
const LAST_USED_STEP_MS = HOUR_MS;
const WRITE_INTERVAL_MS = 5 * SECOND_MS;

export function createKeyRing({
  db,
  clock,
  config,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>): KeyRing {
  const keys = createCache(clock, (hash) => findKnownKey(db, hash), { maxAgeMs: MAX_AGE_MS });
  const uses = new LastUses({ db, clock, log });

  return {
    async authenticate(key) {
      const region = regionOf(key);
      if (region !== null && region !== config.region) throw wrongRegion({ config }, region);
      if (!isKeyShaped(key)) throw unknownKey(key);

      const known = await keys.get(hashKey(key));
      if (known === null) throw unknownKey(key);
      const { actor, endsAt } = known;
      // Exact in every process, however long ago the key was read.
      if (endsAt !== null && Date.parse(endsAt) <= clock.nowMs()) throw ended(endsAt);
      uses.note(actor, actor.publishable ? key : null);
      return actor;
    },
    forget: keys.forget,
    close: () => uses.close(),
  };
}

function unknownKey(key: string): AppError {
  return new AppError(isMistyped(key) ? 'key.mistyped' : 'key.invalid');
}

interface KnownKey {
  readonly actor: Actor;
  readonly endsAt: string | null;
}

async function findKnownKey(db: Db, hash: string): Promise<KnownKey | null> {
  const row = await findUnrevokedKeyByHash(db, hash);
  if (row === undefined) return null;
  const actor: Actor = {
    appId: row.app_id,
    keyId: row.id,
    mode: row.kind.startsWith('live') ? 'live' : 'test',
    publishable: isPublishable(row.kind),
  };
  return { actor, endsAt: row.ends_at };
}

function ended(endsAt: string): AppError {
  return new AppError('key.ended', {
    message: `This API key ended at ${endsAt}: it was rotated. Use the key that took its place.`,
  });
}

function wrongRegion({ config }: Pick<Foundation, 'config'>, region: string): AppError {
  const { otherRegionUrl } = config;
  const where = otherRegionUrl === null ? `the base address of region ${region}` : otherRegionUrl;
  return new AppError('key.wrong_region', {
    message: `This API key belongs to region ${region}; this is region ${config.region}. Use ${where}.`,
  });
}

/** Buffers times of last use, so that no request waits for the write. */
class LastUses {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #loop: Loop;
  readonly #unwritten = new Map<string, { actor: Actor; publicKey: string | null; atMs: number }>();
  readonly #writtenMs = new LRUCache<string, number>({ max: MAX_LAST_USES });

  constructor({ db, clock, log }: Pick<Foundation, 'db' | 'clock' | 'log'>) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#loop = startLoop('key last use', WRITE_INTERVAL_MS, log, () => this.#write());
  }

  note(actor: Actor, publicKey: string | null): void {
    const atMs = this.#clock.nowMs();
    if (atMs - (this.#writtenMs.get(actor.keyId) ?? 0) >= LAST_USED_STEP_MS)
      this.#unwritten.set(actor.keyId, { actor, publicKey, atMs });
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await this.#write().catch((error: unknown) =>
      this.#log.warn({ err: error }, 'Failed to write the last use of keys'),
    );
  }

  async #write(): Promise<void> {
    for (const [keyId, { actor, publicKey, atMs }] of this.#unwritten) {
      const use = { at: isoTime(atMs), writtenBefore: isoTime(atMs - LAST_USED_STEP_MS), publicKey };
      await updateKeyUse(this.#db, actor.appId, keyId, use);
      this.#writtenMs.set(keyId, atMs);
      this.#unwritten.delete(keyId);
    }
  }
}
