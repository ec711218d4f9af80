import pino from 'pino';

/** Structured log lines. No line carries an IP address, a user ID or a key. */
export type Log = pino.Logger;

/** Lines are dropped beyond this, in characters. */
const MAX_UNREAD = 1_000_000;

/**
 * @param to stdout for the service, stderr for a command, whose result goes to stdout. Not pino's own destination: on a
 * full disk it retries for ever at exit.
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

/** Leaves out other fields: a database error carries the row and the parameters, which may be personal data. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { name, message, stack, code, ...(cause !== undefined && { cause: describeError(cause) }) };
}
