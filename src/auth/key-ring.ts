import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { createCache } from '../lib/cache.ts';
import { type Clock, isoTime, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Actor } from './actor.ts';
import { hashKey, isKeyShaped, isMistyped, regionOf } from './key.ts';
import { findActiveKeyByHash, updateKeyLastUsed } from './queries.ts';

/** Authenticates keys and records when each was last used. */
export interface KeyRing {
  /** @throws AppError `key.invalid`, `key.mistyped` or `key.wrong_region`. */
  authenticate(key: string): Promise<Actor>;
  forget(hash: string): void;
  /** Writes pending times of last use. */
  close(): Promise<void>;
}

/** A key that another process revoked works for at most this time; documented as 5 s. */
const MAX_AGE_MS = 3 * SECOND_MS;
const MAX_LAST_USES = 10_000;
/** Resolution of the time of last use. */
const LAST_USED_STEP_MS = MINUTE_MS;
const WRITE_INTERVAL_MS = 5 * SECOND_MS;

export function createKeyRing({
  db,
  clock,
  config,
  log,
}: {
  db: Db;
  clock: Clock;
  config: Config;
  log: Log;
}): KeyRing {
  const actors = createCache(clock, (hash) => findActor(db, hash), { maxAgeMs: MAX_AGE_MS });
  const uses = new LastUses({ db, clock, log });

  return {
    async authenticate(key) {
      const region = regionOf(key);
      if (region !== null && region !== config.region) throw wrongRegion({ config }, region);
      if (!isKeyShaped(key)) throw unknownKey(key);

      const actor = await actors.get(hashKey(key));
      if (actor === null) throw unknownKey(key);
      uses.note(actor);
      return actor;
    },
    forget: actors.forget,
    close: () => uses.close(),
  };
}

function unknownKey(key: string): AppError {
  return new AppError(isMistyped(key) ? 'key.mistyped' : 'key.invalid');
}

async function findActor(db: Db, hash: string): Promise<Actor | null> {
  const row = await findActiveKeyByHash(db, hash);
  if (row === undefined) return null;
  return {
    appId: row.app_id,
    keyId: row.id,
    mode: row.kind.startsWith('live') ? 'live' : 'test',
    publishable: row.kind.endsWith('publishable'),
  };
}

function wrongRegion({ config }: { config: Config }, region: string): AppError {
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
  readonly #unwritten = new Map<string, { actor: Actor; atMs: number }>();
  readonly #writtenMs = new LRUCache<string, number>({ max: MAX_LAST_USES });

  constructor({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#loop = startLoop('key last use', WRITE_INTERVAL_MS, log, () => this.#write());
  }

  note(actor: Actor): void {
    const atMs = this.#clock.nowMs();
    if (atMs - (this.#writtenMs.get(actor.keyId) ?? 0) >= LAST_USED_STEP_MS)
      this.#unwritten.set(actor.keyId, { actor, atMs });
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await this.#write().catch((error: unknown) =>
      this.#log.warn({ err: error }, 'Failed to write the last use of keys'),
    );
  }

  async #write(): Promise<void> {
    for (const [keyId, { actor, atMs }] of this.#unwritten) {
      await updateKeyLastUsed(this.#db, actor.appId, keyId, isoTime(atMs));
      this.#writtenMs.set(keyId, atMs);
      this.#unwritten.delete(keyId);
    }
  }
}
