import { type Db, forEachReachable } from '../../db/index.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import type { Finding } from './count.ts';
import { isDrawn, type Random } from './sample.ts';
import { storeDay } from './store-day.ts';
import { type Place, Unsaved } from './unsaved.ts';

/** The counts of this process, which are saved every half minute; a crash loses those since the last time. */
export interface AccuracyCounts {
  /** Whether an install with this draw may be in the sample, as far as this process knows. */
  mayKeep(place: Place, draw: number): boolean;
  /** Counts an install that was `compared`, or `skipped`. */
  count(place: Place, finding: Finding): void;
  /** Counts an install of the sample. */
  addToSample(place: Place, finding: Finding, draw: number): void;
  /** Saves what this process counted of an app. */
  save(appId: string): Promise<void>;
  /** Saves what remains. */
  stop(): Promise<void>;
}

const SAVE_EVERY_MS = 30 * SECOND_MS;

export function createAccuracyCounts(
  { db, log }: { db: Db; log: Log },
  random: Random = Math.random,
): AccuracyCounts {
  const unsaved = new Unsaved();
  const lastDays = new Map<string, { readonly day: string; readonly halvings: number }>();
  let saving: Promise<void> = Promise.resolve();

  async function saveApp(appId: string): Promise<void> {
    const days = unsaved.take(appId);
    try {
      for (let next = days[0]; next !== undefined; next = days[0]) {
        const [day, counts] = next;
        lastDays.set(appId, { day, halvings: await storeDay(db, { appId, day, counts }, random) });
        days.shift();
      }
    } finally {
      unsaved.putBack(appId, days);
    }
  }

  /** One after the other. */
  function save(listApps: () => readonly string[]): Promise<void> {
    const saved = saving.then(() => forEachReachable(db, listApps(), (appId) => appId, saveApp));
    saving = saved.catch(() => undefined);
    return saved;
  }

  const saveAll = () => save(() => unsaved.apps);
  const loop = startLoop('accuracy', SAVE_EVERY_MS, log, saveAll);
  return {
    mayKeep({ appId, day }, draw) {
      const last = lastDays.get(appId);
      return isDrawn(draw, last?.day === day ? last.halvings : 0);
    },
    count: (place, finding) => unsaved.add(place, finding, null),
    addToSample: (place, finding, draw) => unsaved.add(place, finding, draw),
    save: (appId) => save(() => [appId]),
    async stop() {
      await loop.stop();
      await saveAll().catch((error: unknown) =>
        log.warn({ err: error }, 'Failed to save the accuracy of the last half minute'),
      );
    },
  };
}
