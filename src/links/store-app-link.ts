import type { Actor } from '../auth/index.ts';
import { isNodeAway, type Transaction, toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import type { LinkRow } from './link.ts';
import { insertLinks, insertShortCodes } from './queries.ts';
import type { CreateLinkInput } from './schemas.ts';
import { CodeOutOfReach, newLink } from './store-links.ts';

/** A link that an app makes for one of its installs. */
export interface NewAppLink extends CreateLinkInput {
  readonly shortCode: string;
  readonly sandbox: boolean;
  /** Id of the install. */
  readonly invitedBy: string;
}

/**
 * Without an entry in the audit log: the link says which install made it.
 * @returns null if the code is taken, possibly by a deleted link.
 * @throws AppError `request.invalid`, `database.unavailable` while the node of the code is away.
 */
export async function storeAppLink(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  actor: Actor,
  { shortCode, sandbox, invitedBy, ...input }: NewAppLink,
): Promise<LinkRow | null> {
  const { row } = newLink(deps, actor, { ...input, metadata: { invitedBy } });
  const codes = new Map([[shortCode, row.id]]);
  const free = await insertShortCodes(tx, actor.appId, codes).catch((error: unknown) => {
    throw isNodeAway(error) ? new CodeOutOfReach('database.unavailable', { cause: error }) : error;
  });
  if (!free.has(shortCode)) return null;
  const [link] = await insertLinks(tx, [
    { ...row, short_code: shortCode, sandbox: toFlag(sandbox), invited_by: invitedBy },
  ]);
  return link ?? null;
}
