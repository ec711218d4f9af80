import { type Actor, canSee } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { outcomeColumns, toAnswer } from './claim.ts';
import { findInstall, findOpen, insertOpen } from './queries.ts';
import { deviceColumns } from './question.ts';
import { recordOnce } from './record-once.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';

/** Attributes a deferred deep-link open and records it. */
export async function recordOpen(
  ctx: AttributionCtx,
  { actor, connectionAddress, call }: { actor: Actor; connectionAddress: string; call: RecordOpenInput },
): Promise<OpenAnswer> {
  return await recordOnce(ctx, {
    actor,
    claimant: 'open',
    call,
    givenId: call.openId,
    connectionAddress,
    find: ({ db }, id) => findOpen(db, actor.appId, id),
    async insert(tx, { id, question, decision }) {
      const installId = await knownInstall(tx, actor, call.installId?.toLowerCase() ?? null);
      const answer = { ...(await toAnswer(tx, decision, installId)), openId: id };
      const isNew = await insertOpen(tx.db, {
        app_id: actor.appId,
        id,
        install_id: installId,
        sandbox: toFlag(question.debugBuild),
        user_id: call.userId ?? null,
        opened_at: isoTime(tx.clock.nowMs()),
        ...deviceColumns(call, question.ipHash),
        ...outcomeColumns(decision, answer),
      });
      return isNew ? answer : null;
    },
  });
}

/** An open may arrive before its install does; then it stands alone. */
async function knownInstall(ctx: Ctx, actor: Actor, installId: string | null): Promise<string | null> {
  if (installId === null) return null;
  const install = await findInstall(ctx.db, actor.appId, installId);
  return install !== undefined && canSee(actor, install) ? installId : null;
}
