import type { Actor } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import { toFlag } from '../platform/db/index.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { outcomeColumns, toAnswer } from './claim.ts';
import { findInstall, insertInstall } from './queries.ts';
import { deviceColumns } from './question.ts';
import { recordOnce } from './record-once.ts';
import type { AttributionAnswer, RecordInstallInput } from './schemas.ts';

/** Attributes an install and records it. */
export async function recordInstall(
  ctx: AttributionCtx,
  { actor, connectionAddress, call }: { actor: Actor; connectionAddress: string; call: RecordInstallInput },
): Promise<AttributionAnswer> {
  return await recordOnce(ctx, {
    actor,
    claimant: 'install',
    call,
    givenId: call.installId,
    connectionAddress,
    find: ({ db }, id) => findInstall(db, actor.appId, id),
    async insert(tx, { id, question, decision }) {
      const answer = await toAnswer(tx, decision, id);
      const isNew = await insertInstall(tx.db, {
        app_id: actor.appId,
        id,
        sandbox: toFlag(question.debugBuild),
        user_id: null,
        installed_at: isoTime(tx.clock.nowMs()),
        ...deviceColumns(call, question.ipHash),
        ...outcomeColumns(decision, answer),
      });
      return isNew ? answer : null;
    },
  });
}
