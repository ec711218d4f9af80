import pino from 'pino';

/** Structured log lines on stdout. No line carries an IP address, a user ID or a key. */
export type Log = pino.Logger;

export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
