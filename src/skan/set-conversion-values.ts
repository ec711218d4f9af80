import type { Actor } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toWindows } from './conversion-values.ts';
import { upsertConversionValues } from './queries.ts';
import type { ConversionWindow, SetConversionValuesInput } from './schemas.ts';

/** Replaces all names. Postbacks that are stored already are called by the new ones. */
export async function setConversionValues(
  ctx: Ctx,
  { actor, input }: { actor: Actor; input: SetConversionValuesInput },
): Promise<ConversionWindow[]> {
  const windows = toWindows(input);
  await upsertConversionValues(ctx.db, {
    app_id: actor.appId,
    windows: JSON.stringify(windows),
    updated_at: isoTime(ctx.clock.nowMs()),
  });
  return windows;
}
