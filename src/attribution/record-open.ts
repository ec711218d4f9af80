import type { Actor } from '../apps/index.ts';
import { toFlag } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { linkOf, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { deviceColumns } from './attribution-request.ts';
import { findOpen, findVisibleInstall, insertOpen } from './queries.ts';
import { recordOnce } from './record-once.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';
import { openEvent } from './webhook-events.ts';

/** Records a deferred deep-link open. */
export async function recordOpen(
  deps: AttributionDeps,
  { actor, connectionAddress, call }: { actor: Actor; connectionAddress: string; call: RecordOpenInput },
): Promise<OpenAnswer> {
  const { fingerprint, clickId, debugBuild } = call;
  return await recordOnce(deps, {
    actor,
    claimant: 'open',
    // Leaves out unvalidated fields that only installs have, such as the Play referrer.
    call: { fingerprint, clickId, debugBuild },
    givenId: call.openId,
    connectionAddress,
    find: (id) => findOpen(deps.db, actor.appId, id),
    async prepare({ id, request, decision }) {
      // An open may arrive before its install; it is then stored without one.
      const install = call.installId ? await findVisibleInstall(deps.db, actor, call.installId) : undefined;
      const link = await linkOf(deps.linkDirectory, decision);
      const answer = { ...toAnswer(decision, link, install?.id ?? null), openId: id };
      const open = {
        app_id: actor.appId,
        id,
        install_id: install?.id ?? null,
        sandbox: toFlag(request.debugBuild),
        user_id: call.userId ?? null,
        opened_at: isoTime(deps.clock.nowMs()),
        ...deviceColumns(call, request.ipHash),
        ...outcomeColumns(decision, answer),
      };
      const event = openEvent(open, { appName: request.app.name, decision, link });
      const counted = { ...open, recordedAt: open.opened_at };
      return { answer, insert: insertOpen(deps.db, open), counted, event };
    },
  });
}
