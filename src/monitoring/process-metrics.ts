import { Gauge } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { cachedFor } from '../lib/coalesce.ts';
import { readLastBackup } from '../lib/data-dir/index.ts';
import { readSpace } from '../lib/free-space.ts';
import { VERSION } from '../lib/version.ts';
import { addGauge } from './add-gauge.ts';

type Deps = Pick<Foundation, 'store' | 'config' | 'log' | 'metrics'>;

/** Of files; a scrape is not to keep a slow disk busy. */
const READ_EVERY_MS = 15 * SECOND_MS;

/** What this process knows of itself, its connections and its disk. */
export function addProcessMetrics(deps: Deps, engine: 'sqlite' | 'postgres'): void {
  const { config, log, metrics } = deps;
  const registers = [metrics];
  new Gauge({
    name: 'throughline_build_info',
    help: '1, with the version, the database and Node as labels',
    labelNames: ['version', 'engine', 'node'],
    registers,
  }).set({ version: VERSION, engine, node: process.versions.node }, 1);
  new Gauge({
    name: 'throughline_conditions_open',
    help: 'Warnings and errors of the log that go on, by condition',
    labelNames: ['condition'],
    registers,
    collect() {
      this.reset();
      for (const [condition, count] of log.openConditions?.() ?? []) this.set({ condition }, count);
    },
  });
  addConnections(deps);
  const space = cachedFor(READ_EVERY_MS, () => readSpace(config.dataDir).catch(() => null));
  const backup = cachedFor(READ_EVERY_MS, () => readLastBackup(config));
  addGauge(deps, {
    name: 'throughline_disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR',
    read: async () => (await space())?.freeBytes,
  });
  addGauge(deps, {
    name: 'throughline_disk_reserve_bytes',
    help: 'Free space below which clicks are not recorded any more',
    read: async () => (await space())?.reservedBytes,
  });
  addGauge(deps, {
    name: 'throughline_backup_last_success_timestamp_seconds',
    help: 'When a backup of this data directory last succeeded; absent before the first',
    read: async () => secondsOf((await backup())?.at),
  });
}

function addConnections({ store, metrics }: Deps): void {
  if (store.connections() === null) return;
  const registers = [metrics];
  new Gauge({
    name: 'throughline_database_connections',
    help: 'Connections of the process to PostgreSQL, by state',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy = 0, idle = 0 } = store.connections() ?? {};
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    name: 'throughline_database_connection_waiters',
    help: 'Calls of the process that wait for a connection to PostgreSQL',
    registers,
    collect() {
      this.set(store.connections()?.waiting ?? 0);
    },
  });
}

function secondsOf(iso: string | undefined): number | undefined {
  return iso === undefined ? undefined : Date.parse(iso) / SECOND_MS;
}
