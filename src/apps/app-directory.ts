import { LRUCache } from 'lru-cache';
import type { Ctx } from '../platform/ctx.ts';
import type { AppRow } from './app.ts';
import { findApp } from './queries.ts';

/** The settings of apps, for paths that ask for them with every call. */
export interface AppDirectory {
  /** At most a second behind a change on another node; undefined where there is no such app. */
  find(appId: string): Promise<AppRow | undefined>;
  /** A change made by this process is seen here at once. */
  forget(appId: string): void;
}

/** A change made elsewhere is seen after this at the latest. */
const TRUST_MS = 800;
const MAX_REMEMBERED = 10_000;

export function createAppDirectory(ctx: Ctx): AppDirectory {
  const known = new LRUCache<string, { app: AppRow; readAtMs: number }>({ max: MAX_REMEMBERED });
  /** Counts what was forgotten: a read that began before must not bring it back. */
  let changes = 0;
  return {
    async find(appId) {
      const entry = known.get(appId);
      if (entry !== undefined && ctx.clock.nowMs() - entry.readAtMs <= TRUST_MS) return entry.app;
      const readAtMs = ctx.clock.nowMs();
      const changesBefore = changes;
      const app = await findApp(ctx.db, appId);
      if (app === undefined) known.delete(appId);
      else if (changes === changesBefore) known.set(appId, { app, readAtMs });
      return app;
    },
    forget(appId) {
      changes += 1;
      known.delete(appId);
    },
  };
}
