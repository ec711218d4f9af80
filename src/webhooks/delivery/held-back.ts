import { type Db, forEachReachable, isNodeAway } from '../../db/index.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';

/** A silent node costs each statement some seconds, in which a worker serves no other app. */
const HELD_BACK_MS = 10 * SECOND_MS;

/** Apps whose node is away: nothing of them is claimed or recorded for a while. */
export class HeldBack {
  readonly #db: Db;
  readonly #untilMs = new Map<string, number>();

  constructor({ db }: { db: Db }) {
    this.#db = db;
  }

  has(appId: string): boolean {
    const untilMs = this.#untilMs.get(appId);
    if (untilMs === undefined) return false;
    if (monotonicMs() < untilMs) return true;
    this.#untilMs.delete(appId);
    return false;
  }

  /** Works for all apps in one transaction, or for each in its own if the node of one is away; that one is held back. */
  async byAppIfAway<T>(
    items: readonly T[],
    appOf: (item: T) => string,
    work: (items: readonly T[]) => Promise<void>,
  ): Promise<void> {
    try {
      return await work(items);
    } catch (error) {
      if (!isNodeAway(error)) throw error;
    }
    const byApp = Map.groupBy(items, appOf);
    const away = new Set(byApp.keys());
    const one = async ([appId, ofApp]: [string, T[]]) => {
      await work(ofApp);
      away.delete(appId);
    };
    await forEachReachable(this.#db, [...byApp], ([appId]) => appId, one).finally(() => {
      for (const appId of away) this.#untilMs.set(appId, monotonicMs() + HELD_BACK_MS);
    });
  }
}
