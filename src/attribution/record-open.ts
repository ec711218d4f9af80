import { type Actor, canSee } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { linkOf, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { findInstall, findOpen, insertOpen } from './queries.ts';
import { deviceColumns } from './question.ts';
import { recordOnce } from './record-once.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';
import { openEvent } from './webhook-events.ts';

/** Attributes a deferred deep-link open and records it. */
export async function recordOpen(
  ctx: AttributionCtx,
  { actor, connectionAddress, call }: { actor: Actor; connectionAddress: string; call: RecordOpenInput },
): Promise<OpenAnswer> {
  const { fingerprint, clickId, debugBuild } = call;
  return await recordOnce(ctx, {
    actor,
    claimant: 'open',
    // Field by field: what an install may say besides, such as Play's referrer, an open does not, and nobody checked it.
    call: { fingerprint, clickId, debugBuild },
    givenId: call.openId,
    connectionAddress,
    find: ({ db }, id) => findOpen(db, actor.appId, id),
    async prepare({ id, question, decision }) {
      const installId = await knownInstall(ctx, actor, call.installId?.toLowerCase() ?? null);
      const link = await linkOf(ctx, decision);
      const answer = { ...toAnswer(decision, link, installId), openId: id };
      const open = {
        app_id: actor.appId,
        id,
        install_id: installId,
        sandbox: toFlag(question.debugBuild),
        user_id: call.userId ?? null,
        opened_at: isoTime(ctx.clock.nowMs()),
        ...deviceColumns(call, question.ipHash),
        ...outcomeColumns(decision, answer),
      };
      const event = openEvent(open, { appName: question.app.name, decision, link });
      const counted = { ...open, recordedAt: open.opened_at };
      return { answer, insert: insertOpen(ctx.db, open), counted, event };
    },
  });
}

/** An open may arrive before its install does; then it stands alone. */
async function knownInstall(ctx: Ctx, actor: Actor, installId: string | null): Promise<string | null> {
  if (installId === null) return null;
  const install = await findInstall(ctx.db, actor.appId, installId);
  return install !== undefined && canSee(actor, install) ? installId : null;
}
