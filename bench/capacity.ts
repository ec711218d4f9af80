/**
 * What one click, install, event and delivery costs, and how that grows with the tables: processor time, bytes of the
 * log of writes, bytes on disk. None of it is a time on the clock, so a busy machine makes it dearer by its caches alone.
 */
import { type Caller, startCaller } from './calls.ts';
import { check, eventsRequest } from './events.ts';
import { difference, type Footprint, type Meter, openMeter } from './footprint.ts';
import { grow } from './grow.ts';
import { machine, table, whole } from './markdown.ts';
import { download, install, registerInstalls, tap } from './phones.ts';
import { startPostgres } from './postgres.ts';
import { say } from './progress.ts';
import { type Service, startService } from './service.ts';
import type { Received, ReceiverOrder } from './webhook-receiver.ts';
import { openSide, recordEvents, subscribe, unsubscribe, waitUntilIdle } from './webhook-side.ts';
import { startWorker, type Worker } from './worker.ts';

interface Size {
  /** Rows of clicks, and as many of events, at each stage. */
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
const IDLE_WITHIN_MS = 300_000;
const MEASURED_TABLES = [
  'clicks',
  'installs',
  'events',
  'webhook_messages',
  'webhook_attempts',
  'daily_counts',
];

type Engine = 'PostgreSQL' | 'SQLite';
type Receiver = Worker<ReceiverOrder, Received>;

interface Cost {
  readonly engine: Engine;
  readonly rows: number;
  readonly what: string;
  readonly count: number;
  readonly used: Footprint;
}

interface Bytes {
  readonly engine: Engine;
  readonly rows: number;
  readonly name: string;
  readonly table: number;
  readonly indexes: number;
}

interface Parts {
  readonly caller: Caller;
  readonly receiver: Receiver;
  readonly engine: Engine;
  readonly service: Service;
  readonly meter: Meter;
  readonly installIds: readonly string[];
}

/** @param clicks leaves out the stages beyond so many. */
export async function benchCapacity({
  isQuick,
  clicks,
}: {
  isQuick: boolean;
  clicks: number | null;
}): Promise<string> {
  const preset = isQuick ? QUICK : FULL;
  const size = { ...preset, stages: preset.stages.filter((rows) => rows <= (clicks ?? rows)) };
  await using caller = await startCaller();
  await using receiver: Receiver = await startWorker<ReceiverOrder, Received>('webhook-receiver.ts');
  await using postgres = await startPostgres();
  const costs: Cost[] = [];
  const bytes: Bytes[] = [];
  for (const engine of ['PostgreSQL', 'SQLite'] as const) {
    const database = engine === 'PostgreSQL' ? await postgres.createDatabase('capacity') : null;
    await using service = await startService(database, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    await using meter = await openMeter(service);
    const installIds = await registerInstalls(caller, service, 50);
    const parts = { caller, receiver, engine, service, meter, installIds };
    for (const rows of size.stages) {
      say(`${engine}: ${whole(rows)} rows`);
      const there = { clicks: await meter.rowsOf('clicks'), events: await meter.rowsOf('events') };
      await grow(service, there, rows, installIds);
      for (const cost of await useAll(parts, size)) costs.push({ ...cost, engine, rows });
      for (const cost of await weighAll(meter)) bytes.push({ ...cost, engine });
    }
  }
  return report(costs, bytes, postgres.version);
}

type Used = Pick<Cost, 'what' | 'count' | 'used'>;

/** Each kind of call, many times, with what they used. */
async function useAll(
  { caller, receiver, engine, service, meter, installIds }: Parts,
  size: Size,
): Promise<Used[]> {
  const costs: Used[] = [];
  const use = async <T>(what: string, count: number, work: () => Promise<T>): Promise<T> => {
    const before = await meter.read();
    const result = await work();
    costs.push({ what, count, used: difference(await meter.read(), before) });
    return result;
  };
  const phones = await use('click', size.clicks, () => tap(caller, service, size.clicks));
  await download();
  await use('install', size.installs, () =>
    install(caller, service, phones.slice(0, size.installs), CONNECTIONS),
  );
  for (const [what, inCall, calls] of [
    ['event, 500 in a call', 500, size.batches],
    ['event, one in a call', 1, size.events],
  ] as const)
    await use(what, inCall * calls, async () => {
      const requests = Array.from({ length: calls }, (_, call) => eventsRequest(call, inCall, installIds));
      const { answers } = await caller.call({ port: service.port, connections: CONNECTIONS, requests });
      for (const answer of answers) check(answer, inCall);
    });

  await using side = await openSide(caller, engine, service);
  const { ports } = await receiver.ask({ kind: 'ports' });
  await receiver.ask({ kind: 'begin', isGated: false, takesNotes: false });
  const webhookId = await subscribe(side, `http://127.0.0.1:${ports[0]}/healthy`);
  await use('event, 500 in a call, and its delivery', size.deliveries, async () => {
    await recordEvents(caller, side, size.deliveries);
    await waitUntilIdle(side, IDLE_WITHIN_MS);
  });
  await unsubscribe(side, webhookId);
  return costs;
}

async function weighAll(meter: Meter): Promise<Omit<Bytes, 'engine'>[]> {
  const weighed: Omit<Bytes, 'engine'>[] = [];
  for (const name of MEASURED_TABLES)
    weighed.push({ name, rows: await meter.rowsOf(name), ...(await meter.bytesOf(name)) });
  return weighed;
}

function report(costs: readonly Cost[], bytes: readonly Bytes[], postgresVersion: string): string {
  const micros = (ms: number, { count }: Cost) => `${whole((ms / count) * 1_000)} µs`;
  const each = (total: number, { count }: Cost) => whole(total / count);
  return `${[
    machine(postgresVersion),
    'Of one each: processor time of the main thread, of the other threads (SQLite, files, garbage), of PostgreSQL, bytes of its log, and bytes that the service itself wrote.',
    table(
      [
        'Database',
        'Clicks and events',
        'One',
        'Main thread',
        'Other threads',
        'PostgreSQL',
        'WAL',
        'Written',
      ],
      costs.map((cost) => [
        cost.engine,
        whole(cost.rows),
        cost.what,
        micros(cost.used.mainThreadMs, cost),
        micros(cost.used.otherThreadsMs, cost),
        micros(cost.used.postgresMs, cost),
        each(cost.used.walBytes, cost),
        each(cost.used.writtenBytes, cost),
      ]),
    ),
    'Bytes on disk for a row:',
    table(
      ['Database', 'Table', 'Rows', 'Table', 'Indexes'],
      bytes
        .filter(({ rows }) => rows > 0)
        .map(({ engine, name, rows, table, indexes }) => [
          engine,
          `\`${name}\``,
          whole(rows),
          whole(table / rows),
          whole(indexes / rows),
        ]),
    ),
  ].join('\n\n')}\n`;
}
