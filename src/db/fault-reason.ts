/** Reasons for `/readyz` when the database, the disk or a process limit fails. */
import { faultOf, isShortOfConnections } from './faults.ts';

/** Also while the process goes on with the connections that it has. */
export const NO_CONNECTIONS =
  'PostgreSQL, or the pooler before it, has no further connection for this process. Raise max_connections (of PgBouncer max_client_conn), or run fewer processes.';

/** By the code of PostgreSQL or of the operating system, or by SQLite's primary result code. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^(EMFILE|ENFILE)$/, 'No file descriptors left. Raise the limit (ulimit -n) or allow fewer connections.'],
  [
    /^sqlite 14$/,
    'SQLite cannot open a file. Check the limit of file descriptors (ulimit -n) and the permissions of DATA_DIR.',
  ],
  [/^(ENOSPC|EDQUOT|53100|sqlite 13)$/, 'The disk is full. Free space on it.'],
  [
    /^(EROFS|EACCES|EPERM|25006|sqlite 8)$/,
    'It is read-only. Make it writable; with PostgreSQL, name the primary in DATABASE_URL.',
  ],
  [
    /^(EIO|58030|sqlite 10)$/,
    'The disk fails. Check it, and restore a backup if the database is damaged: docs/guide/backup.md.',
  ],
  [/^(XX00[12]|sqlite 11|sqlite 26)$/, 'The database is damaged. Restore a backup: docs/guide/backup.md.'],
  [/^sqlite 5$/, 'Another program holds the lock of the SQLite file. Stop that program.'],
];

/** Cause and remedy, or null for an unknown fault. `/readyz` is public: the texts name no path, host or user. */
export function faultReason(error: unknown): string | null {
  if (isShortOfConnections(error)) return NO_CONNECTIONS;
  const { code, errcode } = faultOf(error);
  const known = typeof errcode === 'number' ? `sqlite ${errcode & 0xff}` : String(code);
  return REASONS.find(([codes]) => codes.test(known))?.[1] ?? null;
}
