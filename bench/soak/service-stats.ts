/** Resources and backlog of a service, from its metrics and its database. */
import { statSync } from 'node:fs';
import { countConnections } from '../lib/database.ts';
import type { Service } from '../lib/service.ts';

export interface ServiceStats {
  readonly atMs: number;
  readonly residentMb: number;
  /** Used heap, including garbage. */
  readonly heapMb: number;
  /** Open files and sockets. */
  readonly descriptors: number;
  /** Active handles of the event loop. */
  readonly handles: number;
  /** Since the previous sample. */
  readonly loopLagP99Ms: number;
  /** Age of the oldest click in the journal that is not in the database. */
  readonly behindMs: number;
  readonly journalMb: number;
  /** To PostgreSQL; 0 on SQLite. */
  readonly connections: number;
  /** SQLite's write-ahead log; 0 on PostgreSQL. */
  readonly walMb: number;
}

const MB = 2 ** 20;

export async function readServiceStats(service: Service): Promise<ServiceStats> {
  const metric = await service.metrics();
  return {
    atMs: Date.now(),
    residentMb: metric('process_resident_memory_bytes') / MB,
    heapMb: metric('nodejs_heap_size_used_bytes') / MB,
    descriptors: metric('process_open_fds'),
    handles: metric('nodejs_active_handles_total'),
    loopLagP99Ms: metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
    behindMs: metric('throughline_clicks_behind_seconds') * 1_000,
    journalMb: metric('throughline_click_journal_bytes') / MB,
    connections: await countConnections(service.reader),
    walMb: (statSync(`${service.database}-wal`, { throwIfNoEntry: false })?.size ?? 0) / MB,
  };
}
