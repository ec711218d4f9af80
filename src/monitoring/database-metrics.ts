import { Gauge } from 'prom-client';
import { countAppliedMigrations } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { SharedReading } from '../lib/shared-reading.ts';
import { countPendingErasures } from '../privacy/index.ts';
import { countPending } from '../stats/index.ts';
import { countWaitingByKind } from '../webhooks/index.ts';
import { addGauge } from './add-gauge.ts';

type Deps = Pick<Foundation, 'store' | 'db' | 'clock' | 'metrics'>;

const READ_EVERY_MS = 20 * SECOND_MS;
/** Rows of a queue are counted up to this. */
const MAX_COUNTED = 20_000;
const KINDS = ['webhook', 'destination', 'apple_ads'];

type State = Awaited<ReturnType<typeof readState>>;

/** The state of the database, which is the same in every process: `max`, not `sum`, over them. */
export async function addDatabaseMetrics(deps: Deps): Promise<void> {
  const { db, metrics } = deps;
  const reading = new SharedReading(() => readState(deps), {
    everyMs: READ_EVERY_MS,
    nowMs: () => deps.clock.nowMs(),
  });
  new Gauge({
    name: 'throughline_database_up',
    help: '1 if the process could read the database, else 0',
    registers: [metrics],
    async collect() {
      this.set((await reading.latest()) === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'throughline_migrations_known',
    help: 'Migrations that this process knows',
    registers: [metrics],
    // All are applied at the start.
  }).set(await countAppliedMigrations(db));
  for (const [name, { help, read }] of Object.entries(GAUGES))
    addGauge(deps, {
      ...{ name, help },
      async read() {
        const state = await reading.latest();
        return state === null ? undefined : read(state);
      },
    });
  for (const [name, { help, read }] of Object.entries(BY_KIND))
    new Gauge({
      ...{ name, help, labelNames: ['kind'], registers: [metrics] },
      async collect() {
        const state = await reading.latest();
        this.reset();
        if (state !== null) for (const kind of KINDS) this.set({ kind }, read(state, kind));
      },
    });
}

const UP_TO = `; at most ${MAX_COUNTED.toLocaleString('en')} are counted`;

const GAUGES: Readonly<Record<string, { help: string; read: (state: State) => number }>> = {
  throughline_erasures_waiting: {
    help: 'Erasure requests that are not completed',
    read: ({ erasures }) => erasures.requests,
  },
  throughline_erasures_oldest_age_seconds: {
    help: 'Age of the oldest erasure request that is not completed; 0 without one',
    read: ({ erasures, nowMs }) => ageOf(erasures.firstRequestedAt, nowMs),
  },
  throughline_counts_waiting: {
    help: `Rows of counts that are not in the statistics’ cells yet${UP_TO}`,
    read: ({ counts }) => counts,
  },
  throughline_database_bytes: {
    help: 'Size of the SQLite file, or of the database on the server',
    read: ({ description }) => description.bytes,
  },
  throughline_migrations_applied: {
    help: 'Migrations that the database has, whichever version applied them',
    read: ({ migrations }) => migrations,
  },
};

const BY_KIND: Readonly<Record<string, { help: string; read: (state: State, kind: string) => number }>> = {
  throughline_webhook_attempts_waiting: {
    help: `Attempts that wait, retries included, by kind of receiver${UP_TO}`,
    read: ({ waiting }, kind) => waiting.get(kind)?.attempts ?? 0,
  },
  throughline_webhook_attempts_overdue_seconds: {
    help: 'For how long the first attempt has been due, by kind of receiver; 0 without one',
    read: ({ waiting, nowMs }, kind) => ageOf(waiting.get(kind)?.firstDueAt ?? null, nowMs),
  },
};

async function readState({ store, db, clock }: Deps) {
  const nowMs = clock.nowMs();
  const [waiting, erasures, counts, description, migrations] = await Promise.all([
    countWaitingByKind(db, MAX_COUNTED),
    countPendingErasures(db),
    countPending(db, MAX_COUNTED),
    store.describe(),
    countAppliedMigrations(db),
  ]);
  const byKind = new Map(waiting.map((of) => [of.kind, of]));
  return { nowMs, waiting: byKind, erasures, counts, description, migrations };
}

function ageOf(iso: string | null, nowMs: number): number {
  return iso === null ? 0 : Math.max(0, nowMs - Date.parse(iso)) / SECOND_MS;
}
