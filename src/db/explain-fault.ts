/** Explains a database error at start-up to the operator: the cause and the remedy. */
import { faultOf, isUnavailable } from './faults.ts';

const POOLER_GUIDE = 'docs/guide/growing.md#a-connection-pooler';

/** Cause and remedy for a pooler that shares sessions. */
export const SESSION_MODE = `a connection pooler gives each transaction another session. Set its pool_mode to session, or DATABASE_URL to PostgreSQL itself (${POOLER_GUIDE})`;

/** Tables or columns exist, or do not, against what a first start expects. */
const OTHER_TABLES = /^(42P07|42701|42703|42710)$/;

/**
 * By error code or message; the first match applies. Codes are those of sockets, TLS, `pg` and PostgreSQL (Appendix A of
 * its manual). `{message}` is the error's message, `{at}` the host and port.
 * Some causes may pass without a change of settings.
 */
const POSTGRES: readonly (readonly [pattern: RegExp, explanation: string, mayPass?: 'may pass'])[] = [
  [
    /unsupported startup parameter/,
    `the connection pooler refuses a setting ({message}). Add it to ignore_startup_parameters in pgbouncer.ini, or set DATABASE_URL to PostgreSQL itself (${POOLER_GUIDE})`,
  ],
  [/statement pooling mode/, SESSION_MODE],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unknown host ({at}). Correct it in DATABASE_URL', 'may pass'],
  [/^ENOENT: .*, open /, '{message}. Correct sslrootcert, sslcert or sslkey in DATABASE_URL'],
  [
    /^connect ENOENT/,
    'PostgreSQL has no socket there ({message}). Start PostgreSQL, or correct host in DATABASE_URL',
    'may pass',
  ],
  [
    /^(3F000|42704|22023)$|invalid command-line argument|permission denied to set role/,
    '{message}. Correct options in DATABASE_URL',
  ],
  [
    /^ECONNREFUSED$/,
    'connection refused by {at}. Start PostgreSQL there, or correct the address',
    'may pass',
  ],
  [
    /^(57014|55P03)$/,
    '{message}. Find the sessions that hold its tables (pg_locks), end them and start again',
    'may pass',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout/i,
    'connection to {at} timed out. Check the address and the firewall',
    'may pass',
  ],
  [
    /does not support SSL/,
    'the server does not support TLS. Remove sslmode from DATABASE_URL, or enable TLS on the server',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|ERR_TLS_\w+|CERT_\w+)$/,
    'untrusted certificate ({message}). Add sslrootcert=/path/to/root.crt to DATABASE_URL',
  ],
  [
    /no encryption|SSL off/,
    'the server requires TLS, or does not accept this user and address. Add sslmode=verify-full to DATABASE_URL, or change pg_hba.conf',
  ],
  [
    /^28|must be a string/,
    'the server rejects the user or the password. Correct them in DATABASE_URL',
    'may pass',
  ],
  [/^3D000$/, '{message}. Create it, or correct the name in DATABASE_URL', 'may pass'],
  [
    /^25006$/,
    'it is read-only, as a standby is. Set DATABASE_URL to the primary, or make the database writable',
    'may pass',
  ],
  [/^57P0/, '{message}. Try again in a moment', 'may pass'],
  [
    /no more connections allowed/,
    'the pooler at {at} refuses: {message}. Raise its max_client_conn, or close other connections',
    'may pass',
  ],
  [/^53300$/, '{message}. Raise max_connections, or close other connections', 'may pass'],
  [/^53/, '{message}. Free resources on the server, then start again', 'may pass'],
  [
    /permission denied for (table|view|relation)/,
    '{message}, which another user owns. Use that user, or an empty database, in DATABASE_URL',
  ],
  [/^42501$/, '{message}. Allow its user to create tables there, or use another user'],
  [
    OTHER_TABLES,
    'it holds tables of another program, or an incomplete restore ({message}). Use an empty database in DATABASE_URL, or restore a complete backup',
  ],
  [
    /invalid response|Received unexpected/i,
    'the server at {at} is not PostgreSQL. Correct host and port in DATABASE_URL',
  ],
  [
    /connection to the remote node|connections to the node/,
    '{message}. Start that node of the cluster, then start again',
    'may pass',
  ],
  [
    /^(ECONNRESET|EPIPE|08\w{3})$|terminated unexpectedly/i,
    '{at} closed the connection. Start again if PostgreSQL was stopped; otherwise correct host and port in DATABASE_URL',
    'may pass',
  ],
];

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE: Readonly<Record<number, string>> = {
  5: 'another program has locked it ({message}). Stop that program, then start again',
  8: 'it is read-only ({message}). Allow the service to write to the file and its folder',
  10: 'disk I/O error ({message}). Check the disk, and restore a backup if the file is damaged',
  11: 'the file is damaged ({message}). Restore a backup',
  13: 'the disk is full ({message}). Free space on it, then start again',
  14: 'it cannot be opened ({message}). Check that it is a file, and that the service may write to it and to its folder',
  26: 'the file is not a SQLite database ({message}). Restore a backup, or set another DATA_DIR',
};

/** SQLite: locked by another program, I/O error, disk full. */
const SQLITE_MAY_PASS = new Set([5, 10, 13]);

/** Whether a later start may succeed although nobody changes a setting. */
export function mayPass(error: unknown): boolean {
  const { code, errcode, message } = faultOf(error);
  if (typeof errcode === 'number') return SQLITE_MAY_PASS.has(errcode & 0xff);
  const row = postgresRow(String(code ?? ''), String(message ?? error));
  return row === undefined ? isUnavailable(error) : row[2] === 'may pass';
}

/** Cause and remedy in one line, without a final full stop and without the password. */
export function explainFault(error: unknown, databaseUrl: string | null): string {
  const { code, errcode, message } = faultOf(error);
  const text = String(message ?? error);
  const template =
    databaseUrl === null ? sqliteTemplate(errcode, text) : postgresRow(String(code ?? ''), text)?.[1];
  return (template ?? '{message}')
    .replace('{at}', () => addressIn(databaseUrl ?? ''))
    .replace('{message}', () => text)
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '');
}

/** Of a migration of data: tables that are not as it expects are no reason to take an empty database. */
export function explainMigrationFault(error: unknown, databaseUrl: string | null): string {
  const { code, message } = faultOf(error);
  const isOfTables =
    databaseUrl === null ? /already exists/.test(String(message)) : OTHER_TABLES.test(String(code));
  if (!isOfTables) return explainFault(error, databaseUrl);
  return String(message).replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}

function sqliteTemplate(errcode: unknown, message: string): string | undefined {
  if (/already exists/.test(message))
    return 'it holds tables of another program ({message}). Set another DATA_DIR';
  return typeof errcode === 'number' ? SQLITE[errcode & 0xff] : undefined;
}

function postgresRow(code: string, message: string) {
  return POSTGRES.find(([pattern]) => pattern.test(code) || pattern.test(message));
}

function addressIn(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}
