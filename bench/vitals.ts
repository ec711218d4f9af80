/** How a service is doing: what it holds and how far behind it is, by its own metrics and by its database. */
import { statSync } from 'node:fs';
import type { Service } from './service.ts';

/** At one moment. */
export interface Vitals {
  readonly atMs: number;
  readonly residentMb: number;
  /** In use, garbage and all. */
  readonly heapMb: number;
  /** Files and sockets open. */
  readonly descriptors: number;
  /** What the event loop waits for. */
  readonly handles: number;
  /** Since the moment before. */
  readonly loopLagP99Ms: number;
  /** The age of the oldest click on disk and not in the database. */
  readonly behindMs: number;
  readonly journalMb: number;
  /** Of the service to PostgreSQL; 0 on SQLite. */
  readonly connections: number;
  /** SQLite's log of writes; 0 on PostgreSQL. */
  readonly walMb: number;
}

const MB = 2 ** 20;

export async function readVitals(service: Service): Promise<Vitals> {
  const metrics = await service.metrics();
  const metric = (name: string): number => {
    const value = metrics.get(name);
    if (value === undefined) throw new Error(`the service does not tell its ${name}`);
    return value;
  };
  return {
    atMs: Date.now(),
    residentMb: metric('process_resident_memory_bytes') / MB,
    heapMb: metric('nodejs_heap_size_used_bytes') / MB,
    descriptors: metric('process_open_fds'),
    handles: metric('nodejs_active_handles_total'),
    loopLagP99Ms: metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
    behindMs: metric('throughline_clicks_behind_seconds') * 1_000,
    journalMb: metric('throughline_click_journal_bytes') / MB,
    connections: (await service.clicks.servers()).length,
    walMb: (statSync(`${service.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MB,
  };
}
