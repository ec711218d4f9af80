import type { Config, LogEntry } from '@throughline/core';

export type Log = (level: LogEntry['level'], message: string) => void;

const REPEATS_MS = 10_000;

/** As core writes it. */
export function writerOf({ debug = false, onLog }: Pick<Config, 'debug' | 'onLog'>): Log {
  const write =
    onLog ?? (({ level, message }) => console[level === 'debug' ? 'log' : level](`Throughline: ${message}`));
  return (level, message) => {
    if (level !== 'debug' || debug) write({ level, message });
  };
}

/** What JavaScript refuses: one line for a kind, and after a while one with the count of the others, as clients write it. */
export function logOf(config: Pick<Config, 'debug' | 'onLog'>): Log {
  const write = writerOf(config);
  const repeats = new Map<string, number>();
  return (level, message) => {
    const kind = message.replace(/“[^”]*”|[\d,.]+/g, '');
    const known = repeats.get(kind);
    repeats.set(kind, (known ?? -1) + 1);
    if (known !== undefined) return;
    write(level, message);
    setTimeout(() => {
      const times = repeats.get(kind) ?? 0;
      repeats.delete(kind);
      if (times > 0) write(level, `${message} (${times} more of this kind)`);
    }, REPEATS_MS);
  };
}
