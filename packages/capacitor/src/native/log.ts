import type { Config, LogEntry } from '@throughline/core';

export type Log = (level: LogEntry['level'], message: string) => void;

/** As core writes it. */
export function logOf({ debug = false, onLog }: Pick<Config, 'debug' | 'onLog'>): Log {
  const write =
    onLog ?? (({ level, message }) => console[level === 'debug' ? 'log' : level](`Throughline: ${message}`));
  return (level, message) => {
    if (level !== 'debug' || debug) write({ level, message });
  };
}
