/** The record of an open, and what it changes on its install; the same for deferred and direct opens. */
import type { AppRow } from '../apps/index.ts';
import {
  type AttributionRequest,
  deviceColumns,
  type OutcomeColumns,
  type SdkCall,
} from '../attribution/index.ts';
import { type Db, type OpensTable, toFlag, type Write } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { activityOf, consentColumns, type InstallRow, type LastOpen, updateUse } from '../installs/index.ts';
import { isoTime } from '../lib/clock.ts';
import { inviterByOpen, type LinkRow } from '../links/index.ts';
import { openCounts, type PendingCount } from '../stats/index.ts';
import { findOpen, insertOpen, type OpenRow } from './queries.ts';

/** Method of an open by the link itself. */
export const DIRECT = 'DIRECT';

interface Opened {
  readonly id: string;
  readonly request: AttributionRequest;
  /** Undefined if it is unknown. */
  readonly install: InstallRow | undefined;
  readonly call: Pick<SdkCall, 'fingerprint' | 'deterministicOnly'> & { readonly userId?: string | null };
}

export function newOpen(
  { clock }: Pick<Foundation, 'clock'>,
  { id, request, install, call }: Opened,
  outcome: OutcomeColumns,
): OpensTable {
  return {
    app_id: request.app.id,
    id,
    install_id: install?.id ?? null,
    sandbox: toFlag(request.debugBuild),
    user_id: call.userId ?? null,
    erased: null,
    erased_at: null,
    opened_at: isoTime(clock.nowMs()),
    ...deviceColumns(call, request.ipHash),
    ...outcome,
  };
}

/** Whom an open is of, and who invited that install by the link of the open. */
interface Use {
  readonly install: InstallRow | undefined;
  readonly invitedBy: string | null;
}

/** The statements and counts that store an open. */
export function storageOf(
  { db, clock }: Pick<Foundation, 'db' | 'clock'>,
  open: OpensTable,
  { install, invitedBy }: Use,
): { insert: Write; changes: Write[]; counts: PendingCount[] } {
  const insert = insertOpen(db, open);
  const counts = openCounts([{ ...open, recordedAt: open.opened_at }]);
  if (install === undefined) return { insert, changes: [], counts };
  const use = useOf({ install, invitedBy }, { open, nowMs: clock.nowMs() });
  const changes = Object.keys(use.columns).length === 0 ? [] : [updateUse(db, install, use.columns)];
  return { insert, changes, counts: [...counts, ...use.counts] };
}

/** What an open changes on its install. */
function useOf(
  { install, invitedBy }: Use & { install: InstallRow },
  { open, nowMs }: { open: OpensTable; nowMs: number },
): { columns: Parameters<typeof updateUse>[2]; counts: PendingCount[] } {
  const activity = activityOf(install, nowMs);
  const lastOpen: LastOpen | null =
    open.link_id === null ? null : { linkId: open.link_id, campaignId: open.campaign_id, at: open.opened_at };
  return {
    columns: {
      ...consentColumns(install, { ...open, at: open.opened_at }),
      ...(activity !== null && { active_days: activity.activeDays }),
      ...(lastOpen !== null && { last_open: JSON.stringify(lastOpen) }),
      ...(invitedBy !== null && install.invited_by === null && { invited_by: invitedBy }),
    },
    counts: activity === null ? [] : [activity.count],
  };
}

/** Who invited an install, by the link that it opened. */
export function inviterOfOpen(
  { clock }: Pick<Foundation, 'clock'>,
  link: LinkRow | null | undefined,
  { install, app }: { install: InstallRow | undefined; app: AppRow },
): string | null {
  return inviterByOpen(link, install, { windowHours: app.click_id_window_hours, nowMs: clock.nowMs() });
}

/** @throws AppError `record.id_taken` by an open of the other kind, whose answer has another form. */
export async function findOpenForRetry(
  db: Db,
  { appId, id, isDirect }: { appId: string; id: string; isDirect: boolean },
): Promise<OpenRow | undefined> {
  const open = await findOpen(db, appId, id);
  if (open !== undefined && (open.attribution_method === DIRECT) !== isDirect)
    throw new AppError('record.id_taken');
  return open;
}
