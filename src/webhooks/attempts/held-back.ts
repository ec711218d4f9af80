import { type Db, forEachReachable, isNodeAway, isUnavailable } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';

const ASK_EVERY_MS = SECOND_MS;

/**
 * Apps whose node is away: nothing of them is claimed or recorded until it is back. A silent node costs each statement some
 * seconds, in which a worker serves no other app, so that it is asked apart from the workers.
 */
export class HeldBack {
  readonly #db: Db;
  readonly #appIds = new Set<string>();
  readonly #loop: Loop;

  constructor({ db, log }: Pick<Foundation, 'db' | 'log'>) {
    this.#db = db;
    this.#loop = startLoop('apps held back', ASK_EVERY_MS, log, () => this.#letGo());
  }

  has(appId: string): boolean {
    return this.#appIds.has(appId);
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
      for (const appId of away) this.#appIds.add(appId);
    });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #letGo(): Promise<void> {
    const ask = async (appId: string) => {
      const row = this.#db.selectFrom('webhook_messages').select('id').where('app_id', '=', appId).limit(1);
      await row.execute();
      this.#appIds.delete(appId);
    };
    await forEachReachable(this.#db, [...this.#appIds], (appId) => appId, ask).catch((error: unknown) => {
      // A worker has logged it.
      if (!isUnavailable(error)) throw error;
    });
  }
}
