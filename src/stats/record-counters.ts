import { Counter } from 'prom-client';
import type { Foundation } from '../foundation.ts';

/** As in answers; those that a process has not recorded are 0. */
const METHODS = {
  install: ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC', 'EXISTING_USER'],
  open: ['CLICK_ID', 'FINGERPRINT', 'ORGANIC', 'DIRECT'],
} as const;

/** Counts what this process has recorded, for `/metrics`. */
export interface RecordCounters {
  /** @param method `EXISTING_USER` for an install that is counted apart. */
  installed(method: string): void;
  opened(method: string): void;
  happened(events: number): void;
}

export function createRecordCounters({ metrics }: Pick<Foundation, 'metrics'>): RecordCounters {
  const registers = [metrics];
  const byMethod = (kind: keyof typeof METHODS, help: string) => {
    const counter = new Counter({
      ...{ name: `throughline_${kind}s_recorded_total`, help },
      ...{ labelNames: ['method'], registers },
    });
    for (const method of METHODS[kind]) counter.inc({ method }, 0);
    return counter;
  };
  const installs = byMethod('install', 'Installs, by how they found their click');
  const opens = byMethod('open', 'Opens, by how they found their click or link');
  const events = new Counter({
    ...{ name: 'throughline_events_recorded_total', help: 'Events of apps', registers },
  });
  return {
    installed: (method) => installs.inc({ method }),
    opened: (method) => opens.inc({ method }),
    happened: (count) => events.inc(count),
  };
}
