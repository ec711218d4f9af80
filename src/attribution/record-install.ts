import { toFlag } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { installCounts } from '../stats/index.ts';
import { linkOf, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { deviceColumns } from './attribution-request.ts';
import { decide, decideExistingUser } from './decide.ts';
import { readEvidence, windowHoursOf } from './evidence.ts';
import { findInstallForRetry } from './gone-installs.ts';
import { insertInstall } from './queries.ts';
import { recordOnce, type Sender } from './record-once.ts';
import type { AttributionAnswer, RecordInstallInput } from './schemas.ts';
import { installEvent } from './webhook-events.ts';

/** See `installs.active_days`: an install is active on its own day. */
const FIRST_DAY = 1;

export async function recordInstall(
  deps: AttributionDeps,
  { call, ...sender }: Sender & { call: RecordInstallInput },
): Promise<AttributionAnswer> {
  const { actor } = sender;
  const isExisting = call.existingUser === true;
  return await recordOnce(deps, {
    ...sender,
    claimant: isExisting ? null : 'install',
    call,
    givenId: call.installId,
    find: (id) => findInstallForRetry(deps.db, deps, actor.appId, id),
    async prepare({ id, request, clicks }) {
      const decision = isExisting
        ? decideExistingUser(request, windowHoursOf(request.app))
        : decide(await readEvidence(deps, request, clicks));
      const link = await linkOf(deps.linkDirectory, decision);
      const answer = toAnswer(decision, link, id);
      const install = {
        app_id: actor.appId,
        id,
        sandbox: toFlag(request.debugBuild),
        user_id: null,
        erased: null,
        last_open: null,
        active_days: FIRST_DAY,
        existing_user: isExisting ? toFlag(true) : null,
        installed_at: isoTime(deps.clock.nowMs()),
        ...deviceColumns(call, request.ipHash),
        ...outcomeColumns(decision, { answer, country: request.country }),
      };
      const event = isExisting ? null : installEvent(install, { appName: request.app.name, decision, link });
      const counts = installCounts([{ ...install, recordedAt: install.installed_at }]);
      return { answer, decision, insert: insertInstall(deps.db, install), counts, event };
    },
  });
}
