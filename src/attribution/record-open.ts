import { type OpensTable, toFlag } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { openFacts, type PendingCount } from '../stats/index.ts';
import { activityOf, type LastOpen, updateActiveDays } from './activity.ts';
import { linkOf, outcomeColumns, toAnswer } from './answer.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import { deviceColumns } from './attribution-request.ts';
import { findOpen, findVisibleInstall, type InstallRow, insertOpen } from './queries.ts';
import { recordOnce, type Sender } from './record-once.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';
import { openEvent } from './webhook-events.ts';

/** Records a deferred deep-link open. */
export async function recordOpen(
  deps: AttributionDeps,
  { call, ...sender }: Sender & { call: RecordOpenInput },
): Promise<OpenAnswer> {
  const { actor } = sender;
  const { fingerprint, clickId, debugBuild } = call;
  return await recordOnce(deps, {
    ...sender,
    claimant: 'open',
    // Leaves out unvalidated fields that only installs have, such as the Play referrer.
    call: { fingerprint, clickId, debugBuild },
    givenId: call.openId,
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
        erased: null,
        opened_at: isoTime(deps.clock.nowMs()),
        ...deviceColumns(call, request.ipHash),
        ...outcomeColumns(decision, answer),
      };
      const event = openEvent(open, { appName: request.app.name, decision, link });
      const use = install === undefined ? null : useOf(install, { open, nowMs: deps.clock.nowMs() });
      const facts = openFacts([{ ...open, recordedAt: open.opened_at }]);
      return {
        answer,
        insert: insertOpen(deps.db, open),
        changes:
          install === undefined || use === null ? [] : [updateActiveDays(deps.db, install, use.columns)],
        facts: [...facts, ...(use?.facts ?? [])],
        event,
      };
    },
  });
}

/** What an open changes on its install. @returns null for nothing. */
function useOf(
  install: InstallRow,
  { open, nowMs }: { open: OpensTable; nowMs: number },
): { columns: Partial<Pick<InstallRow, 'active_days' | 'last_open'>>; facts: PendingCount[] } | null {
  const activity = activityOf(install, nowMs);
  const lastOpen: LastOpen | null =
    open.link_id === null ? null : { linkId: open.link_id, campaignId: open.campaign_id, at: open.opened_at };
  if (activity === null && lastOpen === null) return null;
  return {
    columns: {
      ...(activity !== null && { active_days: activity.activeDays }),
      ...(lastOpen !== null && { last_open: JSON.stringify(lastOpen) }),
    },
    facts: activity === null ? [] : [activity.fact],
  };
}
