import { listClicksInRange } from '../click-log/index.ts';
import type { Db, Flag } from '../db/index.ts';
import { DAY_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import { CLAIMABLE_VISITORS } from '../redirect/visitors/index.ts';
import type { Networks } from './assess-links.ts';

/** Counts hits of all kinds, so that an app with few claimable clicks costs no more. */
const MAX_HITS = 20_000;
/** Some milliseconds of SQLite's reader, which serves other reads in between. */
const HITS_PER_READ = 2_000;

/**
 * The networks of the claimable clicks among an app's newest hits of a period, by link, the most clicked link first.
 * @param period days in UTC, both included.
 */
export async function sampleHits(
  db: Db,
  appId: string,
  { fromDay, toDay, sandbox }: { fromDay: string; toDay: string; sandbox: Flag },
): Promise<Map<string, Networks>> {
  const links = new Map<string, Map<string, number>>();
  const fromId = leastIdAt(Date.parse(fromDay));
  let beforeId = leastIdAt(Date.parse(toDay) + DAY_MS);
  for (let read = 0; read < MAX_HITS; read += HITS_PER_READ) {
    const hits = await listClicksInRange(db, appId, { fromId, beforeId, limit: HITS_PER_READ });
    for (const hit of hits) {
      if (hit.sandbox !== sandbox || !CLAIMABLE_VISITORS.includes(hit.visitor)) continue;
      const networks = links.get(hit.link_id) ?? new Map<string, number>();
      links.set(hit.link_id, networks);
      // Null after an erasure.
      if (hit.ip_hash !== null) networks.set(hit.ip_hash, (networks.get(hit.ip_hash) ?? 0) + 1);
    }
    if (hits.length < HITS_PER_READ) break;
    beforeId = hits.at(-1)?.id ?? fromId;
  }
  const sampled = [...links].map(([linkId, networks]) => [linkId, toNetworks(networks)] as const);
  return new Map(sampled.sort(([, a], [, b]) => b.clicks - a.clicks));
}

function toNetworks(clicksByHash: ReadonlyMap<string, number>): Networks {
  const counts = [...clicksByHash.values()];
  return {
    clicks: counts.reduce((sum, count) => sum + count, 0),
    distinct: counts.length,
    largest: counts.reduce((largest, count) => Math.max(largest, count), 0),
  };
}
