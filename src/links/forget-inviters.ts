/** What links keep of the installs that made them, for the erasure or deletion of these. */

import { reviseLinks } from '../apps/index.ts';
import { type Db, isAmong, type Transaction } from '../db/index.ts';
import { FORGOTTEN_INVITER } from './inviter.ts';
import type { LinkRow } from './link.ts';

/** An install's own links, in order of ID. */
export async function listLinksOfInviters(
  db: Db,
  appId: string,
  { installIds, after, limit }: { installIds: readonly string[]; after: string | null; limit: number },
): Promise<LinkRow[]> {
  if (installIds.length === 0) return [];
  return await db
    .selectFrom('links')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'invited_by', installIds))
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Removes what a link says of its inviter: its metadata, and the texts and the picture of its card, which are the
 * person's own. The link leads where it led.
 */
export async function scrubInvitation(
  tx: Transaction,
  { app_id: appId, id, metadata, invited_by }: LinkRow,
): Promise<void> {
  await tx
    .updateTable('links')
    .set({
      metadata: JSON.stringify(withoutInviter(JSON.parse(metadata), [invited_by ?? ''])),
      ...{ og_title: null, og_description: null, og_image: null },
    })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .execute();
}

/** Links of these installs are of an unknown one from now on. */
export async function forgetInvitersOfLinks(
  tx: Transaction,
  appId: string,
  installIds: readonly string[],
): Promise<void> {
  await tx
    .updateTable('links')
    .set({ invited_by: FORGOTTEN_INVITER })
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'invited_by', installIds))
    .execute();
  await reviseLinks(tx, appId);
}

/** The metadata of a link without `invitedBy`, if that is one of these installs. */
export function withoutInviter(
  metadata: Readonly<Record<string, unknown>>,
  installIds: readonly string[],
): Readonly<Record<string, unknown>> {
  const { invitedBy, ...others } = metadata;
  return installIds.includes(String(invitedBy)) ? others : metadata;
}
