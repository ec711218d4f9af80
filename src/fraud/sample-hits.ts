import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CLAIMABLE_VISITORS, listHits } from '../clicks/index.ts';
import { DAY_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Flag } from '../platform/db/index.ts';
import { leastIdAt } from '../platform/ids.ts';
import type { Networks } from './assess-links.ts';

/** Hits of all kinds: an app whose hits are mostly of another kind is no more work. */
const MAX_HITS = 20_000;
/** Some milliseconds of the event loop on SQLite. */
const HITS_AT_ONCE = 2_000;

/**
 * The networks of an app's claimable clicks among the newest hits of a period, by link, the most clicked link first.
 * @param period days in UTC, both included.
 */
export async function sampleHits(
  { db }: Ctx,
  appId: string,
  { fromDay, toDay, sandbox }: { fromDay: string; toDay: string; sandbox: Flag },
): Promise<Map<string, Networks>> {
  const links = new Map<string, Map<string, number>>();
  const fromId = leastIdAt(Date.parse(fromDay));
  let beforeId = leastIdAt(Date.parse(toDay) + DAY_MS);
  for (let read = 0; read < MAX_HITS; read += HITS_AT_ONCE) {
    const hits = await listHits(db, appId, { fromId, beforeId, limit: HITS_AT_ONCE });
    for (const hit of hits) {
      if (hit.sandbox !== sandbox || !CLAIMABLE_VISITORS.includes(hit.visitor)) continue;
      const networks = links.get(hit.link_id) ?? new Map<string, number>();
      links.set(hit.link_id, networks);
      // Erased ones have none.
      if (hit.ip_hash !== null) networks.set(hit.ip_hash, (networks.get(hit.ip_hash) ?? 0) + 1);
    }
    if (hits.length < HITS_AT_ONCE) break;
    beforeId = hits.at(-1)?.id ?? fromId;
    await yieldToEventLoop();
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
