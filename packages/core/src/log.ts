import { inBackground } from './timing.ts';
import type { Config, LogEntry } from './types.ts';

export type Log = (level: LogEntry['level'], message: string) => void;

const REPEATS_MS = 10_000;

/** A warning or error of one kind is one line, and after a while one with the count of the others. */
export function createLog({ debug = false, onLog }: Pick<Config, 'debug' | 'onLog'>): Log {
  const write =
    onLog ?? (({ level, message }) => console[level === 'debug' ? 'log' : level](`Throughline: ${message}`));
  const repeated = new Map<string, { times: number; message: string }>();
  return (level, message) => {
    if (level === 'debug') {
      if (debug) write({ level, message });
      return;
    }
    const kind = message.replace(/“[^”]*”|[\d,.]+/g, '');
    const known = repeated.get(kind);
    if (known !== undefined) {
      known.times += 1;
      known.message = message;
      return;
    }
    const entry = { times: 0, message };
    repeated.set(kind, entry);
    write({ level, message });
    inBackground(REPEATS_MS, () => {
      repeated.delete(kind);
      if (entry.times > 0) write({ level, message: `${entry.message} (${entry.times} more of this kind)` });
    });
  };
}
