import { type Db, logDropped } from '../db/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { SESSION_MS, TOKEN_MS } from './account.ts';
import { deleteExpiredInvitations } from './membership-queries.ts';
import { deleteExpiredSessions } from './queries.ts';

/** Deletes ended sessions and expired invitations. Reads ignore them already. */
export async function dropExpiredAccess({
  db,
  clock,
  log,
}: {
  db: Db;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const usedBefore = isoTime(clock.nowMs() - SESSION_MS);
  const sessions = await deleteExpiredSessions(db, usedBefore);
  logDropped({ log }, { table: 'sessions', rows: sessions, before: usedBefore });
  const madeBefore = isoTime(clock.nowMs() - TOKEN_MS);
  const invitations = await deleteExpiredInvitations(db, madeBefore);
  logDropped({ log }, { table: 'invitations', rows: invitations, before: madeBefore });
}
