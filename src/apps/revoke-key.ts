import { recordChange } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { findKey, revokeKey as revoke } from './queries.ts';

/** For the operator. The key stops working here at once, and in every other process within seconds. Revoking twice changes nothing. */
export async function revokeKey(
  ctx: Ctx & { keyRing: KeyRing },
  { appId, keyId }: { appId: string; keyId: string },
): Promise<void> {
  const key = await findKey(ctx.db, appId, keyId);
  if (key === undefined) throw new AppError('key.not_found');
  await inTransaction(ctx, async (tx) => {
    if (!(await revoke(tx.db, appId, keyId, isoTime(tx.clock.nowMs())))) return;
    const change = { appId, recordId: keyId, sandbox: 0, about: { kind: key.kind } } as const;
    await recordChange(tx, { ...change, action: 'key.revoked', by: 'admin' });
  });
  ctx.keyRing.forget(key.hash);
}
