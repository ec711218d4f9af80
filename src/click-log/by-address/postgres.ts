/** Clicks by address; each day's partition has an index by address and time. */

import type { Db } from '../../db/index.ts';
import { type ClickAddress, leastIdSince, type StoredClick } from './by-address.ts';

/** See `ClickQueries.listRecentClicks`. */
export async function listRecentClicks(
  db: Db,
  address: ClickAddress,
  { since, limit }: { since: string; limit: number },
): Promise<StoredClick[]> {
  return await newestFirst(db, address)
    .where('clicked_at', '>=', since)
    .where('id', '>=', leastIdSince(since))
    .limit(limit)
    .execute();
}

/** See `ClickQueries.listClicksPage`. */
export async function listClicksPage(
  db: Db,
  address: ClickAddress,
  { after, limit }: { after: StoredClick | null; limit: number },
): Promise<StoredClick[]> {
  let clicks = newestFirst(db, address);
  if (after !== null)
    clicks = clicks
      .where('clicked_at', '<=', after.clicked_at)
      .where(({ eb, or }) => or([eb('clicked_at', '<', after.clicked_at), eb('id', '<', after.id)]));
  return await clicks.orderBy('id', 'desc').limit(limit).execute();
}

/** In the order of the index, so that a limit bounds the scan of an address with many clicks. */
function newestFirst(db: Db, { appId, ipHash, visitors }: ClickAddress) {
  return db
    .selectFrom('clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('ip_hash', '=', ipHash)
    .where(visitors)
    .orderBy('clicked_at', 'desc');
}
