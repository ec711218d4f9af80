import { LRUCache } from 'lru-cache';
import { isoTime, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import { isTrusted } from '../platform/remember.ts';
import type { Actor } from './app.ts';
import { hashKey, isKeyShaped, isMistyped, regionOf } from './key.ts';
import { findActiveKeyByHash, updateKeyLastUsed } from './queries.ts';

/** Says whose key it is, and remembers when each was last used. */
export interface KeyRing {
  /** @throws AppError `key.invalid`, `key.mistyped` or `key.wrong_region`. */
  actorOf(key: string): Promise<Actor>;
  forget(hash: string): void;
  /** Writes what is not yet written of the times of last use. */
  close(): Promise<void>;
}

/** A key revoked by another process works here no longer than this; the promise is 5 s. */
const TRUST_MS = 3 * SECOND_MS;
const MAX_REMEMBERED = 10_000;
/** The time of last use is exact to this. */
const LAST_USED_STEP_MS = MINUTE_MS;
const WRITE_INTERVAL_MS = 5 * SECOND_MS;

type Known = { actor: Actor | null; readAtMs: number };

/** Begins to write times of last use, every few seconds until it is closed. */
export function createKeyRing(ctx: Ctx): KeyRing {
  const known = new LRUCache<string, Known>({ max: MAX_REMEMBERED });
  const uses = new LastUses(ctx);

  return {
    async actorOf(key) {
      const region = regionOf(key);
      if (region !== null && region !== ctx.config.region) throw wrongRegion(ctx, region);
      if (!isKeyShaped(key)) throw unknownKey(key);

      const hash = hashKey(key);
      let entry = known.get(hash);
      if (entry === undefined || !isTrusted(entry.readAtMs, ctx.clock.nowMs(), TRUST_MS)) {
        entry = await readKey(ctx, hash);
        known.set(hash, entry);
      }
      if (entry.actor === null) throw unknownKey(key);
      uses.note(entry.actor);
      return entry.actor;
    },
    forget: (hash) => known.delete(hash),
    close: () => uses.close(),
  };
}

function unknownKey(key: string): AppError {
  return new AppError(isMistyped(key) ? 'key.mistyped' : 'key.invalid');
}

async function readKey(ctx: Ctx, hash: string): Promise<Known> {
  const readAtMs = ctx.clock.nowMs();
  const row = await findActiveKeyByHash(ctx.db, hash);
  if (row === undefined) return { actor: null, readAtMs };
  const actor: Actor = {
    appId: row.app_id,
    keyId: row.id,
    mode: row.kind.startsWith('live') ? 'live' : 'test',
    publishable: row.kind.endsWith('publishable'),
  };
  return { actor, readAtMs };
}

function wrongRegion(ctx: Ctx, region: string): AppError {
  const { otherRegionUrl } = ctx.config;
  const where = otherRegionUrl === null ? `the base address of region ${region}` : otherRegionUrl;
  return new AppError('key.wrong_region', {
    message: `This API key belongs to region ${region}; this is region ${ctx.config.region}. Use ${where}.`,
  });
}

/** Gathers times of last use and writes them now and then: no request waits for it. */
class LastUses {
  readonly #ctx: Ctx;
  readonly #loop: Loop;
  readonly #unwritten = new Map<string, { actor: Actor; atMs: number }>();
  readonly #writtenMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#loop = startLoop('key last use', WRITE_INTERVAL_MS, ctx.log, () => this.#write());
  }

  note(actor: Actor): void {
    const atMs = this.#ctx.clock.nowMs();
    if (atMs - (this.#writtenMs.get(actor.keyId) ?? 0) >= LAST_USED_STEP_MS)
      this.#unwritten.set(actor.keyId, { actor, atMs });
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    // With the database away they are not worth a stop that fails.
    await this.#write().catch((error: unknown) =>
      this.#ctx.log.warn({ err: error }, 'times of last use of keys were not written'),
    );
  }

  async #write(): Promise<void> {
    for (const [keyId, { actor, atMs }] of this.#unwritten) {
      await updateKeyLastUsed(this.#ctx.db, actor.appId, keyId, isoTime(atMs));
      this.#writtenMs.set(keyId, atMs);
      this.#unwritten.delete(keyId);
    }
  }
}
