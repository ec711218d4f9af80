import type { Actor } from '../auth/index.ts';
import { isNodeAway, type Transaction, toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { columnsOf } from './columns.ts';
import { CodeOutOfReach } from './create-link.ts';
import type { LinkRow } from './link.ts';
import { insertLink, insertShortCode } from './queries.ts';
import type { CreateLinkInput } from './schemas.ts';

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
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  actor: Actor,
  { shortCode, sandbox, invitedBy, ...input }: NewAppLink,
): Promise<LinkRow | null> {
  const nowMs = clock.nowMs();
  const [id, now] = [ids.next(), isoTime(nowMs)];
  const columns = columnsOf({ ...input, metadata: { invitedBy } }, actor, nowMs);
  const isNew = await insertShortCode(tx, shortCode, actor.appId, id).catch((error: unknown) => {
    throw isNodeAway(error) ? new CodeOutOfReach('database.unavailable', { cause: error }) : error;
  });
  if (!isNew) return null;
  return await insertLink(tx, {
    ...columns,
    app_id: actor.appId,
    id,
    short_code: shortCode,
    deep_link_path: input.deepLinkPath,
    deep_link_params: columns.deep_link_params ?? '{}',
    metadata: columns.metadata ?? '{}',
    sandbox: toFlag(sandbox),
    tags: '[]',
    rules: '[]',
    pass_path: 0,
    gone_when_expired: 0,
    invited_by: invitedBy,
    created_at: now,
    updated_at: now,
  });
}
