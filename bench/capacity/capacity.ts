/**
 * The cost of one click, install, event and delivery by table size: processor time, WAL, bytes on disk. None of these
 * is elapsed time, so other load on the machine has little effect.
 */

import { recordEvents } from '../events/events.ts';
import type { Caller, CallOrder, CallResult } from '../lib/caller.ts';
import { countRows } from '../lib/database.ts';
import { machine, table, whole } from '../lib/markdown.ts';
import { recordInstalls, recordOrganicInstalls, tapLinks, waitForDownloads } from '../lib/phones.ts';
import { startPostgres } from '../lib/postgres.ts';
import { type Service, startService } from '../lib/service.ts';
import { startWorker } from '../lib/worker.ts';
import { createWebhook, deleteWebhook, waitUntilIdle } from '../webhooks/webhook-calls.ts';
import { type Receiver, startReceiver } from '../webhooks/webhook-latency.ts';
import { type Footprint, measureFootprint, readTableBytes, type TableBytes } from './footprint.ts';
import { grow } from './grow.ts';

interface Size {
  /** Rows of clicks, and as many of events. */
  readonly stages: readonly number[];
  readonly clicks: number;
  readonly installs: number;
  readonly batches: number;
  readonly events: number;
  readonly deliveries: number;
}

const FULL: Size = {
  stages: [100_000, 1_000_000, 10_000_000],
  clicks: 40_000,
  installs: 4_000,
  batches: 60,
  events: 4_000,
  deliveries: 10_000,
};
const QUICK: Size = {
  stages: [20_000, 60_000],
  clicks: 6_000,
  installs: 600,
  batches: 6,
  events: 600,
  deliveries: 2_000,
};
const CONNECTIONS = 16;
const INSTALLS = 50;
const BATCH = 500;
const IDLE_TIMEOUT_MS = 300_000;
const MEASURED_TABLES = [
  'clicks',
  'installs',
  'events',
  'webhook_messages',
  'webhook_attempts',
  'pending_counts',
  'count_quarters',
  'link_days',
];

type Engine = 'PostgreSQL' | 'SQLite';

interface Cost extends Footprint {
  readonly operation: string;
}

interface TableSize extends TableBytes {
  readonly name: string;
  readonly rows: number;
}

interface Stage {
  readonly engine: Engine;
  readonly rows: number;
  readonly costs: readonly Cost[];
  readonly tables: readonly TableSize[];
}

interface Subject {
  readonly caller: Caller;
  readonly receiver: Receiver;
  readonly engine: Engine;
  readonly service: Service;
  readonly installIds: readonly string[];
}

/** @param clicks omits larger stages. */
export async function benchCapacity({
  isQuick,
  clicks,
}: {
  isQuick: boolean;
  clicks: number | null;
}): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using caller = await startWorker<CallOrder, CallResult>('lib/caller.ts');
  await using receiver = await startReceiver();
  await using postgres = await startPostgres();
  const stages: Stage[] = [];
  for (const engine of ['PostgreSQL', 'SQLite'] as const) {
    const database = engine === 'PostgreSQL' ? await postgres.createDatabase('capacity') : null;
    await using service = await startService(database, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    const installIds = await recordOrganicInstalls(caller, service, INSTALLS);
    const subject = { caller, receiver, engine, service, installIds };
    for (const rows of size.stages.filter((rows) => clicks === null || rows <= clicks)) {
      console.error(`${engine}: ${whole(rows)} rows`);
      const existing = {
        clicks: await countRows(service.reader, 'clicks'),
        events: await countRows(service.reader, 'events'),
      };
      await grow(service, existing, rows, installIds);
      const costs = await measureCosts(subject, size);
      stages.push({ engine, rows, costs, tables: await measureTables(service) });
    }
  }
  return report(stages, postgres.version);
}

async function measureCosts(subject: Subject, size: Size): Promise<Cost[]> {
  const { caller, receiver, service, installIds } = subject;
  const costs: Cost[] = [];
  const measure = async <T>(operation: string, count: number, work: () => Promise<T>): Promise<T> => {
    const { result, footprint } = await measureFootprint(service, count, work);
    costs.push({ operation, ...footprint });
    return result;
  };
  const sendEvents = (batch: number, calls: number) =>
    recordEvents(caller, service.port, { batch, calls, connections: CONNECTIONS }, installIds);

  const phones = await measure('click', size.clicks, () => tapLinks(caller, service, size.clicks));
  await waitForDownloads();
  const installing = phones.slice(0, size.installs);
  await measure('install', size.installs, () => recordInstalls(caller, service, installing, CONNECTIONS));
  await measure(`event, ${BATCH} in a call`, BATCH * size.batches, () => sendEvents(BATCH, size.batches));
  await measure('event, one in a call', size.events, () => sendEvents(1, size.events));

  const { ports } = await receiver.run({ kind: 'ports' });
  await receiver.run({ kind: 'begin', isGated: false, recordsTimes: false });
  const webhookId = await createWebhook(service, `http://127.0.0.1:${ports[0]}/healthy`);
  await measure(`event, ${BATCH} in a call, and its delivery`, size.deliveries, async () => {
    await sendEvents(BATCH, size.deliveries / BATCH);
    await waitUntilIdle(subject, IDLE_TIMEOUT_MS);
  });
  await deleteWebhook(service, webhookId);
  return costs;
}

async function measureTables(service: Service): Promise<TableSize[]> {
  const tables: TableSize[] = [];
  for (const name of MEASURED_TABLES)
    tables.push({
      name,
      rows: await countRows(service.reader, name),
      ...(await readTableBytes(service, name)),
    });
  return tables;
}

function report(stages: readonly Stage[], postgresVersion: string): string {
  return `${[
    machine(postgresVersion),
    'Per operation: processor time of the main thread, of the other threads (SQLite, files, garbage collection) and of PostgreSQL; bytes of its WAL, and bytes that the service itself wrote.',
    table(
      [
        'Database',
        'Clicks and events',
        'Operation',
        'Main thread',
        'Other threads',
        'PostgreSQL',
        'WAL',
        'Written',
      ],
      stages.flatMap(({ engine, rows, costs }) =>
        costs.map((cost) => [engine, whole(rows), ...costCells(engine, cost)]),
      ),
    ),
    'Bytes on disk per row:',
    table(
      ['Database', 'Table', 'Rows', 'Table', 'Indexes'],
      stages.flatMap(({ engine, tables }) =>
        tables
          .filter(({ rows }) => rows > 0)
          .map(({ name, rows, table, indexes }) => [
            engine,
            `\`${name}\``,
            whole(rows),
            whole(table / rows),
            whole(indexes / rows),
          ]),
      ),
    ),
  ].join('\n\n')}\n`;
}

function costCells(engine: Engine, { operation, cpu, walBytes, writtenBytes }: Cost): string[] {
  const { main, journal, engine: v8, database } = cpu ?? NO_CPU_TIME;
  const isPostgres = engine === 'PostgreSQL';
  return [
    operation,
    `${whole(main)} µs`,
    `${whole(journal + v8 + (isPostgres ? 0 : database))} µs`,
    `${whole(isPostgres ? database : 0)} µs`,
    whole(walBytes),
    whole(writtenBytes),
  ];
}

const NO_CPU_TIME = { main: Number.NaN, journal: Number.NaN, engine: Number.NaN, database: Number.NaN };
