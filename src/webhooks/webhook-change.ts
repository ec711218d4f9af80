import type { Actor } from '../apps/index.ts';
import type { Change } from '../audit/index.ts';
import { toFlag } from '../platform/db/index.ts';

/** What the audit log keeps of a change of a webhook. Test keys see the changes that test keys made. */
export function webhookChange(
  { appId, keyId, mode }: Actor,
  recordId: string,
  change: Pick<Change, 'action' | 'fields'>,
): Change {
  return { appId, by: { keyId }, recordId, sandbox: toFlag(mode === 'test'), ...change };
}
