/** What is wrong with a database at the start, for whoever set it up. */
import { faultOf } from './faults.ts';

/** What to say of a fault, by its code or by what its message matches; `at` is host and port. */
type Explanation = readonly [which: RegExp, why: (fault: { message: string; at: string }) => string];

/** What to do about a pooler that drops what sessions are started with. */
export const NO_SUCH_POOLER =
  'Name PostgreSQL itself in DATABASE_URL, or a pooler that passes on what sessions are started with';

/** Of sockets, TLS and `pg`, and PostgreSQL's own (Appendix A of its manual); the first that fits is meant. */
const POSTGRES: readonly Explanation[] = [
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    ({ at }) => `there is no host of that name (${at}). Correct it in DATABASE_URL`,
  ],
  [
    /^ENOENT: .*, open /,
    ({ message }) => `${message}. Correct sslrootcert, sslcert or sslkey in DATABASE_URL`,
  ],
  [
    /^connect ENOENT/,
    ({ message }) => `no PostgreSQL has that socket (${message}). Start it, or correct host in DATABASE_URL`,
  ],
  [
    /^(3F000|42704|22023)$|invalid command-line argument|permission denied to set role/,
    ({ message }) => `${message}. Correct options in DATABASE_URL`,
  ],
  [/^ECONNREFUSED$/, ({ at }) => `nothing listens at ${at}. Start PostgreSQL there, or correct the address`],
  [/^(57014|55P03)$/, ({ message }) => `${message}. See who holds its tables (pg_locks), and start again`],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout/i,
    ({ at }) => `${at} does not answer in time. Check the address, and whether a firewall lets it through`,
  ],
  [
    /does not support SSL/,
    () => 'the server takes no TLS. Leave sslmode out of DATABASE_URL, or set the server up for it',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|ERR_TLS_\w+|CERT_\w+)$/,
    ({ message }) =>
      `its certificate is not trusted (${message}). Add sslrootcert=/path/to/root.crt to DATABASE_URL`,
  ],
  [
    /no encryption|SSL off/,
    () =>
      'the server wants TLS, or does not know this user and address. Add sslmode=verify-full to DATABASE_URL, or change pg_hba.conf',
  ],
  [/^28|must be a string/, () => 'the server refuses the user or the password. Correct them in DATABASE_URL'],
  [/^3D000$/, ({ message }) => `${message}. Create it, or correct the name in DATABASE_URL`],
  [
    /^25006$/,
    () => 'it is read-only, as a standby is. Name the primary in DATABASE_URL, or let it be written to',
  ],
  [/^57P0/, ({ message }) => `${message}. Try again in a moment`],
  [/^53300$/, ({ message }) => `${message}. Raise max_connections, or stop what is connected`],
  [/^53/, ({ message }) => `${message}. Make room on the server, then start again`],
  [
    /permission denied for (table|view|relation)/,
    ({ message }) =>
      `${message}, which is another user's. Name that user in DATABASE_URL, or an empty database`,
  ],
  [/^42501$/, ({ message }) => `${message}. Let its user create tables there, or name another user`],
  [
    /^(42P07|42701|42703|42710)$/,
    ({ message }) =>
      `it holds tables of something else (${message}), or half a restore. Name an empty database in DATABASE_URL, or restore a whole backup`,
  ],
  [
    /invalid response|Received unexpected/i,
    ({ at }) => `what answers at ${at} is no PostgreSQL. Correct host and port in DATABASE_URL`,
  ],
  [/unsupported startup parameter/, ({ message }) => `${message}. ${NO_SUCH_POOLER}`],
  [
    /connection to the remote node/,
    ({ message }) => `${message}. Bring that node of the cluster back, then start again`,
  ],
  [
    /^(ECONNRESET|EPIPE|08\w{3})$|terminated unexpectedly/i,
    ({ at }) =>
      `${at} breaks the connection off. Start again where PostgreSQL was stopped; otherwise correct host and port in DATABASE_URL`,
  ],
];

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE: Readonly<Record<number, string>> = {
  5: 'another program has it locked. Stop that, then start again',
  8: 'it is read-only. Let the service write to it and to its folder',
  10: 'the disk fails. Check it, and restore a backup if the file is damaged',
  11: 'the file is damaged. Restore a backup',
  13: 'the disk is full. Make room, then start again',
  14: 'it cannot be opened. Check that it is a file and that the service may write to it and to its folder',
  26: 'it is no SQLite database. Restore a backup, or set another DATA_DIR',
};

/** Why a database cannot be used, and what to do; one line without its full stop, and without the password. */
export function explainFault(error: unknown, databaseUrl: string | null): string {
  const { code, errcode, message } = faultOf(error);
  const text = String(message ?? error);
  const why =
    databaseUrl === null
      ? explainSqlite(errcode, text)
      : explainPostgres(String(code ?? ''), text, databaseUrl);
  return why.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}

function explainSqlite(errcode: unknown, message: string): string {
  if (/already exists/.test(message))
    return `it holds tables of something else (${message}). Set another DATA_DIR`;
  const known = typeof errcode === 'number' ? SQLITE[errcode & 0xff] : undefined;
  return known === undefined ? message : known.replace('. ', ` (${message}). `);
}

function explainPostgres(code: string, message: string, databaseUrl: string): string {
  const at = addressIn(databaseUrl);
  const found = POSTGRES.find(([which]) => which.test(code) || which.test(message));
  return found === undefined ? message : found[1]({ message, at });
}

function addressIn(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}
