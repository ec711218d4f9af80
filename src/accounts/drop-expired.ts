import { CHANGES_KEPT_DAYS, deleteOldSignIns } from '../audit/index.ts';
import { deleteExpiredSessions, SESSION_MS } from '../auth/index.ts';
import { logDropped } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { TOKEN_MS } from './account.ts';
import { deleteExpiredInvitations } from './membership-queries.ts';
import { RESET_MS } from './password-resets.ts';
import { deleteExpiredPasswordResets } from './queries.ts';

/** Deletes ended sessions, expired invitations and addresses for new passwords, and old sign-ins of the log. Reads ignore them already. */
export async function dropExpiredAccess({
  db,
  clock,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'log'>): Promise<void> {
  const usedBefore = isoTime(clock.nowMs() - SESSION_MS);
  const sessions = await deleteExpiredSessions(db, usedBefore);
  logDropped({ log }, { table: 'sessions', rows: sessions, before: usedBefore });
  const madeBefore = isoTime(clock.nowMs() - TOKEN_MS);
  const invitations = await deleteExpiredInvitations(db, madeBefore);
  logDropped({ log }, { table: 'invitations', rows: invitations, before: madeBefore });
  const resetBefore = isoTime(clock.nowMs() - RESET_MS);
  const resets = await deleteExpiredPasswordResets(db, resetBefore);
  logDropped({ log }, { table: 'password_resets', rows: resets, before: resetBefore });
  const signedInBeforeMs = clock.nowMs() - CHANGES_KEPT_DAYS * DAY_MS;
  const signIns = await deleteOldSignIns(db, signedInBeforeMs);
  logDropped({ log }, { table: 'service_log', rows: signIns, before: isoTime(signedInBeforeMs) });
}
