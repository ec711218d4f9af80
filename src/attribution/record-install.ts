import type { Actor } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import { toFlag } from '../platform/db/index.ts';
import { linkOf, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import { findInstall, insertInstall } from './queries.ts';
import { deviceColumns } from './question.ts';
import { recordOnce } from './record-once.ts';
import type { AttributionAnswer, RecordInstallInput } from './schemas.ts';
import { installEvent } from './webhook-events.ts';

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
    async prepare({ id, question, decision }) {
      const link = await linkOf(ctx, decision);
      const answer = toAnswer(decision, link, id);
      const install = {
        app_id: actor.appId,
        id,
        sandbox: toFlag(question.debugBuild),
        user_id: null,
        installed_at: isoTime(ctx.clock.nowMs()),
        ...deviceColumns(call, question.ipHash),
        ...outcomeColumns(decision, answer),
      };
      const event = installEvent(install, { appName: question.app.name, decision, link });
      const counted = { ...install, recordedAt: install.installed_at };
      return { answer, insert: insertInstall(ctx.db, install), counted, event };
    },
  });
}
