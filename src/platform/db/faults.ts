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
 * Socket errors and those of TLS; of PostgreSQL (Appendix A) its connection exceptions (class 08), a read-only server
 * (25006), transactions it ended for their length (25P03, 25P04), users and databases that it does not let in (class 28,
 * 3D000), transactions it ended for the sake of others, such as deadlocks (40), what it lacks, such as disk space or
 * connections (53), shutdowns (57P0x), statements it ended for their length (57014), faults of its system (58) and damaged
 * pages (XX001, XX002).
 */
const UNAVAILABLE_CODE =
  /^(ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|08|25006|25P03|25P04|28|3D000|40|53|57P0|57014|58|XX00[12])/;
/** PostgreSQL's words for what ends a session, whatever its code, where it speaks English. */
const ENDS_SESSION = /^(FATAL|PANIC)$/;
/** The place in its source where it refuses a database that takes no connections (55000), in any language. */
const REFUSES_SESSION = 'CheckMyDatabase';
/** What `pg` says without a code when a connection breaks or none becomes free in time. */
const UNAVAILABLE_TEXT =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|does not support SSL/;
/** SQLite: busy, read only, I/O error, damaged, disk full, cannot open, no database (primary codes 5, 8, 10, 11, 13, 14, 26). */
const SQLITE_UNAVAILABLE = new Set([5, 8, 10, 11, 13, 14, 26]);

/** True when the database could not do its work, whatever the statement: the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  const { code, severity, routine, syscall, errcode, message } = faultOf(error);
  if (typeof code === 'string' && UNAVAILABLE_CODE.test(code)) return true;
  if (typeof severity === 'string' && ENDS_SESSION.test(severity)) return true;
  if (routine === REFUSES_SESSION || syscall === 'connect') return true;
  if (typeof errcode === 'number' && SQLITE_UNAVAILABLE.has(errcode & 0xff)) return true;
  return typeof message === 'string' && UNAVAILABLE_TEXT.test(message);
}

/** PostgreSQL's data exceptions and violated constraints (classes 22 and 23). */
const DATA_CODE = /^2[23]/;
/** SQLite: too big, constraint, mismatch (primary codes 18, 19, 20). */
const SQLITE_DATA = new Set([18, 19, 20]);

/** True when the database will never take these values, however often it is asked. */
export function isDataFault(error: unknown): boolean {
  if (isUnavailable(error)) return false;
  const { code, errcode } = faultOf(error);
  if (typeof code === 'string' && DATA_CODE.test(code)) return true;
  return typeof errcode === 'number' && SQLITE_DATA.has(errcode & 0xff);
}

/** SQLite: the file is damaged, or no database (primary codes 11 and 26). */
const SQLITE_DAMAGED = new Set([11, 26]);

/** True when it is the file of a database that is at fault, whatever was done with it. */
export function isDamage(error: unknown): boolean {
  const { errcode } = faultOf(error);
  return typeof errcode === 'number' && SQLITE_DAMAGED.has(errcode & 0xff);
}

/** SQLite: of the I/O errors those of a page that cannot be read (266, 522), or that the disk calls damaged (8202, 8458). */
const SQLITE_UNREADABLE = new Set([266, 522, 8202, 8458]);

/** True when a page of the file is damaged: statements that need others of its pages succeed. */
export function isUnreadablePage(error: unknown): boolean {
  const { errcode } = faultOf(error);
  return isDamage(error) || (typeof errcode === 'number' && SQLITE_UNREADABLE.has(errcode));
}

/** Whether it was SQLite that failed: no other driver has result codes. */
export function isOfSqlite(error: unknown): boolean {
  return typeof faultOf(error).errcode === 'number';
}

/** An error of a driver, by what it has to be known by; of several, the first. */
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
