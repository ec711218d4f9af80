import type { Static } from 'typebox';
import { type Actor, canSee } from '../../auth/index.ts';
import type { Db } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import { isDay } from '../../server/days.ts';
import { sandboxOf } from '../read-stats.ts';
import type { CostRow } from './cost.ts';
import { findCost, type ListedCosts, listCosts } from './queries.ts';
import type { ListCosts } from './schemas.ts';

/** @throws AppError `request.invalid`. */
export async function listPage(
  db: Db,
  { actor, query }: { actor: Actor; query: Static<typeof ListCosts> },
): Promise<CostRow[]> {
  const { limit } = query;
  const before = query.before === undefined ? null : await cursorOf(db, actor, query.before);
  return await listCosts(db, actor.appId, { ...listedOf(actor, query), before, limit });
}

type Filter = Omit<Static<typeof ListCosts>, 'limit' | 'before'>;

/** @throws AppError `request.invalid`. */
export function listedOf(actor: Actor, { from, to, sandbox, ...of }: Filter): ListedCosts {
  for (const [name, day] of Object.entries({ from, to }))
    if (day !== undefined && !isDay(day))
      throw new AppError('request.invalid', {
        message: `${name} must be a day from 1970 on, such as 2026-01-31.`,
      });
  return {
    sandbox: sandboxOf(actor, sandbox === undefined ? undefined : sandbox === 'true'),
    ...{ fromDay: from, toDay: to },
    ...{ campaignId: of.campaignId, network: of.network, networkCampaignId: of.networkCampaignId },
  };
}

async function cursorOf(db: Db, actor: Actor, id: string): Promise<CostRow> {
  const cost = await findCost(db, actor.appId, id.toLowerCase());
  if (cost !== undefined && canSee(actor, cost)) return cost;
  throw new AppError('request.invalid', {
    message: 'before must be the id of a cost of the app, and this one may be deleted. List from the start.',
  });
}
