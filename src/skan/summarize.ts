import type { Actor } from '../apps/index.ts';
import { DAY_MS, isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { type SummaryRow, summarizePostbacks } from './queries.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/**
 * Counts verified postbacks by day, ad network, source identifier or campaign, window and conversion value; with a test
 * key the sandbox's, else live ones alone.
 * @param from the first day, and `to` the last one, as 2026-01-31.
 * @throws AppError `request.invalid` where they are no days, in another order or too far apart.
 */
export async function summarize(
  ctx: Ctx,
  { actor, from, to, ...page }: { actor: Actor; from?: string; to?: string; limit: number; offset: number },
): Promise<SummaryRow[]> {
  const lastMs = to === undefined ? ctx.clock.nowMs() : toMs('to', to);
  const firstMs = from === undefined ? lastMs - (DEFAULT_DAYS - 1) * DAY_MS : toMs('from', from);
  if (firstMs > lastMs) throw invalid('from must not be after to.');
  if (lastMs - firstMs >= MAX_DAYS * DAY_MS) throw invalid(`from and to may be ${MAX_DAYS} days at most.`);
  const days = { fromDay: toDay(firstMs), toDay: toDay(lastMs) };
  return await summarizePostbacks(ctx.db, actor.appId, { ...days, sandbox: actor.mode === 'test', ...page });
}

function toMs(name: string, day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`);
  // Some days of the pattern are in no calendar.
  if (Number.isNaN(ms) || toDay(ms) !== day) throw invalid(`${name} must be a day such as 2026-01-31.`);
  return ms;
}

function toDay(ms: number): string {
  return isoTime(ms).slice(0, 'YYYY-MM-DD'.length);
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
