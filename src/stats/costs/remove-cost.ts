import type { Static } from 'typebox';
import { recordChange } from '../../audit/index.ts';
import { type Actor, authorOf, canSee } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { isUuid } from '../../lib/ids.ts';
import { listedOf } from './list-costs.ts';
import { countCosts, deleteCost, deleteCosts, findCost, listCostIds } from './queries.ts';
import { type DeleteCosts, presentFields } from './schemas.ts';

/** Other writers wait for a transaction of as many rows some 10 ms. */
const ROWS_OF_TRANSACTION = 1_000;

/** @throws AppError `cost.not_found`. */
export async function removeCost(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, id }: { actor: Actor; id: string },
): Promise<void> {
  const { appId } = actor;
  const costId = id.toLowerCase();
  await db.transaction().execute(async (tx) => {
    const cost = isUuid(id) ? await findCost(tx, appId, costId) : undefined;
    if (cost === undefined || !canSee(actor, cost)) throw new AppError('cost.not_found');
    const isDeleted = await deleteCost(tx, appId, costId);
    if (!isDeleted) throw new AppError('cost.not_found');
    const change = { appId, by: authorOf(actor), recordId: costId, sandbox: cost.sandbox };
    const about = presentFields(cost);
    await recordChange(tx, { clock, ids }, { ...change, action: 'cost.deleted', about });
  });
}

/**
 * Deletes those that a filter leaves, by several transactions. The first has the audit log's entry.
 * @returns how many.
 * @throws AppError `request.invalid`.
 */
export async function removeCosts(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, query }: { actor: Actor; query: Static<typeof DeleteCosts> },
): Promise<number> {
  const { appId } = actor;
  const { from, to, campaignId, network, networkCampaignId, confirm } = query;
  const chosen = { from, to, campaignId, network, networkCampaignId };
  if (Object.values(chosen).every((value) => value === undefined))
    throw invalid(
      `Give one of ${Object.keys(chosen).join(', ')}, so that it is clear which costs are meant.`,
    );
  const listed = listedOf(actor, query);
  if (query.dryRun === 'true') return await countCosts(db, appId, listed);
  const found = await listCostIds(db, appId, listed);
  if (confirm !== found.length)
    throw invalid(`The filter leaves ${found.length} costs. Send confirm=${found.length} to delete them.`);
  for (const [index, some] of [...chunks(found, ROWS_OF_TRANSACTION)].entries())
    await db.transaction().execute(async (tx) => {
      await deleteCosts(tx, appId, some);
      if (index > 0) return;
      const change = { appId, by: authorOf(actor), recordId: appId, sandbox: listed.sandbox };
      const about = { deleted: found.length, ...chosen };
      await recordChange(tx, { clock, ids }, { ...change, action: 'cost.deleted', about });
    });
  return found.length;
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
