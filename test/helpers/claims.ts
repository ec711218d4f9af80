/** Claims of ad networks that come after the install. */
import type { Db } from '../../src/db/index.ts';
import { findingsText } from '../../src/networks/finding.ts';
import { claimColumns, claimOf, type NetworkClaim } from '../../src/networks/index.ts';
import { countLateClaim } from '../../src/stats/index.ts';

type Fields = Partial<Omit<NetworkClaim, 'name'>>;

/** As if the install had come with a token of Apple, whose answer is awaited. */
export async function awaitClaim(db: Db, appId: string, installId: string): Promise<void> {
  await db
    .updateTable('installs')
    .set({ network_trace: findingsText([{ name: 'apple_ads', outcome: 'waiting' }]) })
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .where('network_name', 'is', null)
    .execute();
}

/** Stores the claim of an install that has none, and counts it, as the answer of a network does. */
export async function storeClaim(
  db: Db,
  {
    appId,
    installId,
    name,
    ...fields
  }: { appId: string; installId: string; name: NetworkClaim['name'] } & Fields,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const stored = await tx
      .updateTable('installs')
      .set({ ...claimColumns(claimOf(name, fields)), network_trace: null })
      .where('app_id', '=', appId)
      .where('id', '=', installId)
      .where('network_name', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (stored !== undefined) await countLateClaim(tx, stored);
  });
}
