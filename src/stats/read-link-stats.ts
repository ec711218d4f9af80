import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { readLink } from '../links/index.ts';
import { type DaysInput, listDays, readDays } from '../server/days.ts';
import { addUp, type LinkFigures } from './link-stats.ts';
import { listLinkCounts } from './queries.ts';

/**
 * The statistics of a link, sandbox or live as the link is, including all clicks that this process acknowledged before.
 * @throws AppError `link.not_found`, `request.invalid` (see `readDays`), `clicks.behind`.
 */
export async function readLinkStats(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  { actor, shortCode, from, to }: DaysInput & { actor: Actor; shortCode: string },
): Promise<{ shortCode: string; fromDay: string; toDay: string; figures: LinkFigures }> {
  const days = readDays({ clock }, { from, to });
  const link = await readLink(db, { actor, shortCode });
  await counted(actor.appId);
  const counts = await listLinkCounts(db, actor.appId, {
    linkId: link.id,
    sandbox: link.sandbox,
    ...days,
  });
  return { shortCode, ...days, figures: addUp(counts, listDays(days)) };
}
