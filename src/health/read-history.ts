import type { Static } from 'typebox';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import { cachedFor } from '../lib/coalesce.ts';
import { readServiceQuarters } from '../stats/index.ts';
import { type History, NOTHING, QUARTER_MS } from './history.ts';
import type { HealthHistory } from './schemas.ts';

/** The cells of all apps are read no more often, however many look. */
const READ_EVERY_MS = 20 * SECOND_MS;

export interface HistoryReader extends Pick<Foundation, 'db' | 'clock'> {
  readonly history: History;
}

/** A reader of every quarter hour of the last day; those before the start of this process have zeros of it. */
export function createHistoryReader({
  db,
  clock,
  history,
}: HistoryReader): () => Promise<Static<typeof HealthHistory>> {
  const startedAt = isoTime(clock.nowMs());
  return cachedFor(
    READ_EVERY_MS,
    async () => {
      const nowMs = clock.nowMs();
      const lastMs = nowMs - (nowMs % QUARTER_MS);
      const fromMs = lastMs - DAY_MS;
      const [ofProcess, ofDatabase] = await Promise.all([
        history.quarters(),
        readServiceQuarters(db, { fromMs, toMs: lastMs + QUARTER_MS }),
      ]);
      const processAt = new Map(ofProcess.map(({ atMs, ...quarter }) => [atMs, quarter]));
      const countsAt = new Map(ofDatabase.map(({ atMs, ...counts }) => [atMs, counts]));
      const quarters = Array.from({ length: DAY_MS / QUARTER_MS + 1 }, (_, index) => {
        const atMs = fromMs + index * QUARTER_MS;
        const counts = countsAt.get(atMs) ?? { installs: 0, events: 0 };
        return { at: isoTime(atMs), ...counts, ...(processAt.get(atMs) ?? NOTHING) };
      });
      return { startedAt, quarters };
    },
    () => clock.nowMs(),
  );
}
