import pino from 'pino';

/** Structured log lines. No line carries an IP address, a user ID or a key. */
export type Log = pino.Logger;

/** What nobody reads is kept up to here, in characters. */
const MAX_UNREAD = 1_000_000;

/**
 * @param to stdout for a service; a command keeps that for what comes of it. What cannot be written is lost: pino's own
 * destination, where a disk is full, tries for ever at the end of a process.
 */
export function createLog(level: string, to: 'stdout' | 'stderr' = 'stdout'): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  };
  const stream = process[to];
  return pino(options, {
    write(line: string) {
      if (stream.writableLength < MAX_UNREAD) stream.write(line);
    },
  });
}

/**
 * What failed and where. A database's error also carries the row and the statement's values, which belong to somebody,
 * so its other fields are left out.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { name, message, stack, code, ...(cause !== undefined && { cause: describeError(cause) }) };
}
