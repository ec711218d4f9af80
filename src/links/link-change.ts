import type { Actor } from '../apps/index.ts';
import type { Change } from '../audit/index.ts';
import type { LinkRow } from './link.ts';

/** What the audit log keeps of a change of a link. */
export function linkChange(
  { appId, keyId }: Actor,
  { id, short_code: shortCode, sandbox }: LinkRow,
  change: Pick<Change, 'action' | 'fields'>,
): Change {
  return { appId, by: { keyId }, recordId: id, sandbox, about: { shortCode }, ...change };
}
