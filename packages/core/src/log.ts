import { inBackground } from './timing.ts';
import type { Config, LogEntry } from './types.ts';

export type Log = (level: LogEntry['level'], message: string) => void;

export interface CountingLog {
  readonly log: Log;
  /** Writes the counts that still wait. */
  readonly end: () => void;
}

const REPEATS_MS = 10_000;
/** Names belong to the kind, and may be any text. */
const MAX_KINDS = 50;
/** The query and the fragment of an address, which may hold a secret. */
const QUERY = /([a-z][\w+.-]{0,30}:\/\/[^\s?#]*)[?#]\S*?(?=:?\s|$)/gi;

/** A warning or error of one kind is one line, and after a while one with the count of the others. */
export function createLog({ debug = false, onLog }: Pick<Config, 'debug' | 'onLog'>): CountingLog {
  const write =
    onLog ?? (({ level, message }) => console[level === 'debug' ? 'log' : level](`Throughline: ${message}`));
  const repeated = new Map<string, { level: LogEntry['level']; times: number; message: string }>();
  const close = (kind: string) => {
    const { level, times = 0, message } = repeated.get(kind) ?? {};
    repeated.delete(kind);
    if (level && times > 0) write({ level, message: `${message} (${times} more of this kind)` });
  };
  const log: Log = (level, text) => {
    if (level === 'debug') {
      if (debug) write({ level, message: text });
      return;
    }
    const message = text.replace(QUERY, '$1');
    const own = message.replace(/[\d,.]+/g, '');
    const kind = repeated.size < MAX_KINDS || repeated.has(own) ? own : level;
    const known = repeated.get(kind);
    if (known !== undefined) {
      known.times += 1;
      known.message = message;
      return;
    }
    repeated.set(kind, { level, times: 0, message });
    write({ level, message });
    inBackground(REPEATS_MS, () => close(kind));
  };
  return { log, end: () => [...repeated.keys()].forEach(close) };
}
