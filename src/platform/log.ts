import pino from 'pino';

/** Structured log lines on stdout. No line carries an IP address, a user ID or a key. */
export type Log = pino.Logger;

export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
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
