/** SQLite's extended result codes for a violated primary key and unique index (sqlite.org/rescode.html). */
const SQLITE_UNIQUE = new Set([1555, 2067]);
/** PostgreSQL's `unique_violation` (Appendix A of its manual). */
const POSTGRES_UNIQUE = '23505';

/** True when a statement failed because a row with the same key exists. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = faultOf(error);
  return code === POSTGRES_UNIQUE || (typeof errcode === 'number' && SQLITE_UNIQUE.has(errcode));
}

/**
 * Socket and TLS errors, and of PostgreSQL (Appendix A): connection exceptions (class 08), read-only (25006), transaction
 * timeouts (25P03, 25P04), rejected users and databases (28, 3D000), rollbacks such as deadlocks (40), insufficient
 * resources (53), shutdowns (57P0x), statement timeouts (57014), system errors (58), damaged pages (XX001, XX002).
 */
const UNAVAILABLE_CODE =
  /^(ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|08|25006|25P03|25P04|28|3D000|40|53|57P0|57014|58|XX00[12])/;
/** Severities with which an English PostgreSQL ends a session, whatever the code. */
const ENDS_SESSION = /^(FATAL|PANIC)$/;
/** PostgreSQL's source routine that refuses a database without connections (55000), in any language. */
const REFUSES_SESSION = 'CheckMyDatabase';
/** Messages that `pg` gives without a code when a connection breaks or the pool is exhausted. */
const UNAVAILABLE_TEXT =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|does not support SSL/;
/** SQLite: busy, read only, I/O error, damaged, disk full, cannot open, not a database (primary codes). */
const SQLITE_UNAVAILABLE = new Set([5, 8, 10, 11, 13, 14, 26]);

/** True when the database failed independently of the statement: the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  const { code, severity, routine, syscall, errcode, message } = faultOf(error);
  if (typeof code === 'string' && UNAVAILABLE_CODE.test(code)) return true;
  if (typeof severity === 'string' && ENDS_SESSION.test(severity)) return true;
  if (routine === REFUSES_SESSION || routine === REFUSES_PLAN || syscall === 'connect') return true;
  if (typeof errcode === 'number' && SQLITE_UNAVAILABLE.has(errcode & 0xff)) return true;
  return typeof message === 'string' && UNAVAILABLE_TEXT.test(message);
}

/** PostgreSQL's source routine that refuses a prepared statement whose columns have changed (0A000), in any language. */
const REFUSES_PLAN = 'RevalidateCachedQuery';

/** True when a table has changed under a prepared statement, as by a migration of a newer version. */
export function isOfChangedTable(error: unknown): boolean {
  return faultOf(error).routine === REFUSES_PLAN;
}

/** PostgreSQL's `too_many_connections` (Appendix A). */
const TOO_MANY_CONNECTIONS = '53300';
/** PgBouncer's own limits, which it reports as `protocol_violation` (08P01). */
const POOLER_IS_FULL = /no more connections allowed|max_client_conn|max_(db|user)_client_connections/;

/** True when the server, or a pooler before it, has no connection left. */
export function isShortOfConnections(error: unknown): boolean {
  const { code, message } = faultOf(error);
  return code === TOO_MANY_CONNECTIONS || (code === '08P01' && POOLER_IS_FULL.test(String(message)));
}

/** Source routines of Citus that report a connection to a node which is refused, breaks or takes too long. */
const NODE_AWAY = /^(ReportConnectionError|CheckConnectionTimeout)$/;
/** PostgreSQL's `connection_failure`, which a server reports only of another server. */
const CONNECTION_FAILURE = '08006';

/** True when a node of a cluster could not be reached by the coordinator; statements on other nodes succeed. */
export function isNodeAway(error: unknown): boolean {
  const { code, routine } = faultOf(error);
  return code === CONNECTION_FAILURE && typeof routine === 'string' && NODE_AWAY.test(routine);
}

/** PostgreSQL's data exceptions and violated constraints (classes 22 and 23). */
const DATA_CODE = /^2[23]/;
/** SQLite: too big, constraint, mismatch (primary codes). */
const SQLITE_DATA = new Set([18, 19, 20]);

/** True when the database rejects the values, so that a retry cannot succeed. */
export function isDataFault(error: unknown): boolean {
  if (isUnavailable(error)) return false;
  const { code, errcode } = faultOf(error);
  if (typeof code === 'string' && DATA_CODE.test(code)) return true;
  return typeof errcode === 'number' && SQLITE_DATA.has(errcode & 0xff);
}

/** SQLite: damaged, or not a database (primary codes). */
const SQLITE_DAMAGED = new Set([11, 26]);

/** True when the SQLite file is damaged. */
export function isDamage(error: unknown): boolean {
  const { errcode } = faultOf(error);
  return typeof errcode === 'number' && SQLITE_DAMAGED.has(errcode & 0xff);
}

/** SQLite's extended I/O errors for unreadable pages (266, 522) and for pages that the file system reports as damaged (8202, 8458). */
const SQLITE_UNREADABLE = new Set([266, 522, 8202, 8458]);

/** True when a page of the SQLite file is damaged; statements that use other pages still succeed. */
export function isUnreadablePage(error: unknown): boolean {
  const { errcode } = faultOf(error);
  return isDamage(error) || (typeof errcode === 'number' && SQLITE_UNREADABLE.has(errcode));
}

/** True for an error of SQLite: no other driver has result codes. */
export function isOfSqlite(error: unknown): boolean {
  return typeof faultOf(error).errcode === 'number';
}

/** The fields that identify a driver's error; of an AggregateError those of its first error. */
export function faultOf(error: unknown): {
  code?: unknown;
  severity?: unknown;
  routine?: unknown;
  syscall?: unknown;
  errcode?: unknown;
  message?: unknown;
} {
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0]);
  return typeof error === 'object' && error !== null ? error : {};
}
