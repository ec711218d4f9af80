import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { KeyRing } from './key-ring.ts';
import { findKey, revokeKey as revoke } from './queries.ts';

/** The key stops working here at once, and in every other process within seconds. Revoking twice changes nothing. */
export async function revokeKey(
  ctx: Ctx & { keyRing: KeyRing },
  { appId, keyId }: { appId: string; keyId: string },
): Promise<void> {
  const key = await findKey(ctx.db, appId, keyId);
  if (key === undefined) throw new AppError('key.not_found');
  await revoke(ctx.db, appId, keyId, isoTime(ctx.clock.nowMs()));
  ctx.keyRing.forget(key.hash);
}
