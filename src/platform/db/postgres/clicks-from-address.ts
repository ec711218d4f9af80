import { type ClicksFromAddress, leastIdSince, type StoredClick } from '../clicks-from-address.ts';
import type { Db } from '../store.ts';

/** See `Store.listClicksFromAddress`. Each day's partition has an index by address and time. */
export async function listClicksFromAddress(
  db: Db,
  { appId, ipHash, visitors, since, after, limit }: ClicksFromAddress,
): Promise<StoredClick[]> {
  let clicks = db
    .selectFrom('clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('ip_hash', '=', ipHash)
    .where(visitors);
  if (since !== null) clicks = clicks.where('clicked_at', '>=', since).where('id', '>=', leastIdSince(since));
  if (after !== null)
    clicks = clicks
      .where('clicked_at', '<=', after.clicked_at)
      .where(({ eb, or }) => or([eb('clicked_at', '<', after.clicked_at), eb('id', '<', after.id)]));
  return await clicks.orderBy('clicked_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}
