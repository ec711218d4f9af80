import type { Actor } from '../apps/index.ts';
import { readLink } from '../links/index.ts';
import { type DaysInput, listDays, readDays } from '../platform/http/days.ts';
import { addUp, type LinkFigures } from './link-stats.ts';
import { listLinkCounts } from './queries.ts';
import type { StatisticsCtx } from './statistics-ctx.ts';

/**
 * The figures of a link by day, platform, method and campaign: of a sandbox link those of the sandbox, of others live
 * ones. Clicks that this process recorded before are among them.
 * @throws AppError `link.not_found` as `readLink`, `request.invalid` as `readDays`, `clicks.behind`.
 */
export async function readLinkStats(
  ctx: StatisticsCtx,
  { actor, shortCode, from, to }: DaysInput & { actor: Actor; shortCode: string },
): Promise<{ shortCode: string; fromDay: string; toDay: string; figures: LinkFigures }> {
  const days = readDays(ctx, { from, to });
  const link = await readLink(ctx, { actor, shortCode });
  await ctx.clickLog.applied();
  const counts = await listLinkCounts(ctx.db, actor.appId, {
    linkId: link.id,
    sandbox: link.sandbox,
    ...days,
  });
  return { shortCode, ...days, figures: addUp(counts, listDays(days)) };
}
