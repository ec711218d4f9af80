/**
 * The statements of a delivery from publishing to the log, with the queue in two tables (due, in flight: a delivery moves
 * from one to the other) and in one (status and lease, two partial indexes), in turns on the same database.
 */
import { type RawBuilder, sql } from 'kysely';
import { migrations } from '../../migrations/index.ts';
import {
  type Db,
  isAmong,
  isShared,
  openStore,
  type Store,
  type Transaction,
  useCustomPlan,
} from '../../src/db/index.ts';
import { isoTime, systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { machine, medianRate, spread, table } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { temporaryDirectory } from '../lib/temporary.ts';

const FULL = { rounds: 7, deliveries: 10_000, backlogs: [0, 100_000] };
const QUICK = { rounds: 2, deliveries: 500, backlogs: [0] };
/** Deliveries of a transaction, of one webhook. */
const BATCH = 50;
const WEBHOOKS = 10;
const LEASE_MS = 15_000;
const URL = 'https://hooks.example.com/throughline/receiver';

interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
}

/** One design of the queue. The log is the same table in both. */
interface Queue {
  insert(db: Db, deliveries: readonly Delivery[]): Promise<unknown>;
  claim(tx: Transaction, webhookId: string): Promise<readonly string[]>;
  finish(tx: Transaction, ids: readonly string[]): Promise<unknown>;
}

const clock = systemClock;
const ids = createIds(clock);
const appId = ids.next();

const twoTables: Queue = {
  insert: (db, deliveries) =>
    sql`insert into queue_due (app_id, id, webhook_id, message_id, failed_attempts, due_at)
      values ${rows(deliveries, (each) => sql`(${appId}, ${each.id}, ${each.webhookId}, ${each.messageId}, 0, ${now()})`)}`.execute(
      db,
    ),
  async claim(tx, webhookId) {
    const due = sql`select id from queue_due where app_id = ${appId} and webhook_id = ${webhookId} and due_at <= ${now()}
      order by due_at limit ${BATCH} ${isShared(tx) ? sql`for update skip locked` : sql``}`;
    const claimed = await sql<{
      id: string;
      message_id: string;
    }>`delete from queue_due where app_id = ${appId}
      and ${isAmong(tx, 'id', sql`(${due})`)} returning id, message_id`.execute(tx);
    await sql`insert into queue_in_flight (app_id, id, webhook_id, message_id, webhook_url, failed_attempts, started_at)
      values ${rows(claimed.rows, (each) => sql`(${appId}, ${each.id}, ${webhookId}, ${each.message_id}, ${URL}, 0, ${now()})`)}`.execute(
      tx,
    );
    return claimed.rows.map(({ id }) => id);
  },
  finish: (tx, finished) =>
    sql`delete from queue_in_flight where app_id = ${appId} and ${isAmong(tx, 'id', finished)} returning id`.execute(
      tx,
    ),
};

const oneTable: Queue = {
  insert: (db, deliveries) =>
    sql`insert into queue_deliveries (app_id, id, webhook_id, message_id, status, failed_attempts, next_attempt_at)
      values ${rows(deliveries, (each) => sql`(${appId}, ${each.id}, ${each.webhookId}, ${each.messageId}, 0, 0, ${now()})`)}`.execute(
      db,
    ),
  async claim(tx, webhookId) {
    const due = sql`select id from queue_deliveries where app_id = ${appId} and webhook_id = ${webhookId} and status = 0
      and next_attempt_at <= ${now()} order by next_attempt_at limit ${BATCH} ${isShared(tx) ? sql`for update skip locked` : sql``}`;
    const claimed = await sql<{
      id: string;
    }>`update queue_deliveries set status = 1, lease_until = ${now(LEASE_MS)},
      webhook_url = ${URL} where app_id = ${appId} and ${isAmong(tx, 'id', sql`(${due})`)} returning id, message_id`.execute(
      tx,
    );
    return claimed.rows.map(({ id }) => id);
  },
  finish: (tx, finished) =>
    sql`delete from queue_deliveries where app_id = ${appId} and ${isAmong(tx, 'id', finished)} and status = 1
      returning id`.execute(tx),
};

/** `npm run bench -- queue`. */
export async function benchQueue({ isQuick }: { isQuick: boolean }): Promise<string> {
  const size = isQuick ? QUICK : FULL;
  await using postgres = await startPostgres();
  const lines: string[][] = [];
  for (const engine of ['SQLite', 'PostgreSQL'])
    for (const backlog of size.backlogs) {
      const databaseUrl = engine === 'SQLite' ? null : await postgres.createDatabase(`queue_${backlog}`);
      const store = await open(databaseUrl);
      await createTables(store.db, engine === 'PostgreSQL');
      for (const queue of [twoTables, oneTable]) await fill(store.db, queue, backlog);
      const rates: { two: number; one: number }[] = [];
      for (let round = 0; round < size.rounds; round++)
        rates.push({
          two: await measure(store, twoTables, size.deliveries),
          one: await measure(store, oneTable, size.deliveries),
        });
      await store.close();
      lines.push([
        `${engine}, backlog of ${backlog}`,
        medianRate(rates.map(({ two }) => two)),
        medianRate(rates.map(({ one }) => one)),
        spread(rates.map(({ one, two }) => one / two)),
      ]);
    }
  const head = ['', 'two tables', 'one table', 'one to two'];
  return `${machine(postgres.version)}\n\n${table(head, lines)}\n`;
}

async function open(databaseUrl: string | null): Promise<Store> {
  const fail = (cause: unknown) => {
    throw cause;
  };
  const dataDir = temporaryDirectory('queue');
  return await openStore({ databaseUrl, dataDir }, migrations, createLog('silent'), fail);
}

async function createTables(db: Db, isPostgres: boolean): Promise<void> {
  const [uuid, time, text] = isPostgres
    ? ['uuid', 'timestamptz(3)', 'text collate "C"']
    : ['text', 'text', 'text'];
  const key = `app_id ${uuid} not null, id ${uuid} not null, webhook_id ${uuid} not null, message_id ${uuid} not null`;
  const statements = [
    `create table queue_due (${key}, failed_attempts integer not null, due_at ${time} not null, primary key (app_id, id))`,
    'create index queue_due_by_webhook on queue_due (webhook_id, due_at)',
    `create table queue_in_flight (${key}, webhook_url ${text} not null, failed_attempts integer not null,
      started_at ${time} not null, primary key (app_id, id))`,
    `create table queue_deliveries (${key}, webhook_url ${text}, status smallint not null, failed_attempts integer not null,
      next_attempt_at ${time} not null, lease_until ${time}, primary key (app_id, id))`,
    'create index queue_deliveries_due on queue_deliveries (webhook_id, next_attempt_at) where status = 0',
    'create index queue_deliveries_leased on queue_deliveries (lease_until) where status = 1',
  ];
  // SQLite has no smallint in a strict table; these are not strict.
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const webhookIds = Array.from({ length: WEBHOOKS }, () => ids.next());

async function fill(db: Db, queue: Queue, count: number): Promise<void> {
  const dead = ids.next();
  for (let from = 0; from < count; from += 500) await queue.insert(db, newDeliveries(500, dead));
}

/** Deliveries a second, from the insert to the log. */
async function measure({ db }: Store, queue: Queue, count: number): Promise<number> {
  const startMs = performance.now();
  for (let done = 0; done < count; done += BATCH) {
    const webhookId = webhookIds[(done / BATCH) % WEBHOOKS] ?? '';
    await queue.insert(db, newDeliveries(BATCH, webhookId));
    const claimed = await db.transaction().execute(async (tx) => {
      await useCustomPlan(tx);
      return await queue.claim(tx, webhookId);
    });
    if (claimed.length !== BATCH) throw new Error(`claimed ${claimed.length} deliveries of ${BATCH}`);
    await db.transaction().execute((tx) => queue.finish(tx, claimed));
  }
  return (count / (performance.now() - startMs)) * 1_000;
}

function newDeliveries(count: number, webhookId: string): Delivery[] {
  return Array.from({ length: count }, () => ({ id: ids.next(), webhookId, messageId: ids.next() }));
}

function rows<T>(list: readonly T[], row: (each: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(list.map(row));
}

function now(laterMs = 0): string {
  return isoTime(clock.nowMs() + laterMs);
}
