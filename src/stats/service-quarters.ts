import { type Db, isAmong, onEachNode } from '../db/index.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { addStored, type Counts, countOf, noCounts } from './add-counts.ts';
import { parseQuarterHours } from './cells.ts';
import { QUARTER_HOUR_MS } from './periods.ts';

interface QuarterTotals {
  readonly atMs: number;
  readonly installs: number;
  readonly events: number;
}

/**
 * Installs and events of all apps by quarter hour, sandbox included, but for apps on a node that is away. What is not
 * folded into cells yet is missing.
 * @param fromMs the begin of a quarter hour
 */
export async function readServiceQuarters(
  db: Db,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<QuarterTotals[]> {
  const days: string[] = [];
  for (let ms = fromMs - (fromMs % DAY_MS); ms < toMs; ms += DAY_MS) days.push(dayOf(isoTime(ms)));
  const { results } = await onEachNode(db, async (ofApps) => {
    const appIds = ofApps ?? (await db.selectFrom('apps').select('id').execute()).map(({ id }) => id);
    return await db
      .selectFrom('count_quarters')
      .select(['day', 'quarters'])
      // By each app, day and platform in the primary key.
      .where(isAmong(db, 'app_id', appIds))
      .where('sandbox', 'in', [0, 1])
      .where('scope', '=', '')
      .where('dimension', '=', '')
      .where('day', 'in', days)
      .execute();
  });
  const totals = new Map<number, Counts>();
  for (const { day, quarters } of results.flat())
    for (const stored of parseQuarterHours(quarters)) {
      const atMs = Date.parse(day) + stored[0] * QUARTER_HOUR_MS;
      if (atMs < fromMs || atMs >= toMs) continue;
      const counts = totals.get(atMs) ?? noCounts();
      totals.set(atMs, counts);
      addStored(counts, stored);
    }
  return [...totals].map(([atMs, counts]) => ({
    atMs,
    installs: countOf(counts, 'installs'),
    events: countOf(counts, 'events'),
  }));
}
