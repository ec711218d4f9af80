import type { Actor } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type DaysInput, readDays } from '../platform/http/days.ts';
import { type SummaryRow, summarizePostbacks } from './queries.ts';

/**
 * Counts verified postbacks by day, ad network, source identifier or campaign, window and conversion value; with a test
 * key the sandbox's, else live ones alone.
 * @throws AppError `request.invalid` as `readDays`.
 */
export async function summarize(
  ctx: Ctx,
  { actor, from, to, ...page }: DaysInput & { actor: Actor; limit: number; offset: number },
): Promise<SummaryRow[]> {
  const days = readDays(ctx, { from, to });
  return await summarizePostbacks(ctx.db, actor.appId, { ...days, sandbox: actor.mode === 'test', ...page });
}
