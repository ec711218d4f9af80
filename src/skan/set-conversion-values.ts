import type { Actor } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { toWindows } from './conversion-values.ts';
import { upsertConversionValues } from './queries.ts';
import type { ConversionWindow, SetConversionValuesInput } from './schemas.ts';

/** Replaces all names. Postbacks that are stored already are called by the new ones. */
export async function setConversionValues(
  ctx: Ctx,
  { actor, input }: { actor: Actor; input: SetConversionValuesInput },
): Promise<ConversionWindow[]> {
  const windows = toWindows(input);
  const { appId, keyId, mode } = actor;
  await inTransaction(ctx, async (tx) => {
    await upsertConversionValues(tx.db, {
      app_id: appId,
      windows: JSON.stringify(windows),
      updated_at: isoTime(tx.clock.nowMs()),
    });
    const change = { appId, by: { keyId }, recordId: appId, sandbox: toFlag(mode === 'test') };
    await recordChange(tx, { ...change, action: 'conversion_values.updated' });
  });
  return windows;
}
