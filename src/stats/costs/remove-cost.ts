import { recordChange } from '../../audit/index.ts';
import { type Actor, authorOf, canSee } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { isUuid } from '../../lib/ids.ts';
import { deleteCost, findCost } from './queries.ts';
import { presentFields } from './schemas.ts';

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
