import type { Change } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import type { LinkRow } from './link.ts';

/** A link's change for the audit log. @param batch of a call that changed several links. */
export function linkChange(
  actor: Actor,
  { id, short_code: shortCode, sandbox }: LinkRow,
  change: Pick<Change, 'action' | 'fields' | 'changes'>,
  batch?: string,
): Change {
  const about = { shortCode, ...(batch !== undefined && { batch }) };
  return { appId: actor.appId, by: authorOf(actor), recordId: id, sandbox, about, ...change };
}
