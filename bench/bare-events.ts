/**
 * What events are measured against, a process of its own: the plainest server that does the same durable work. It parses
 * the same JSON, inserts the same rows in one transaction for each call, into tables that are copies of the service's,
 * and answers with their identifiers. It checks nothing, counts nothing and tells nobody.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createIds } from '../src/platform/ids.ts';

interface SentEvent {
  readonly installId: string;
  readonly eventName: string;
  readonly properties: object;
  readonly occurredAt: string;
}

const COLUMNS =
  'app_id, id, install_id, event_name, properties, user_id, sandbox, occurred_at, created_at'.split(', ');
/** As many as the service has. */
const CONNECTIONS = 10;

const [engine = '', serviceDatabase = '', ownFile = ''] = process.argv.slice(2);
const ids = createIds({ nowMs: () => Date.now() });
const { appId, insert, count } = engine === 'PostgreSQL' ? await onPostgres() : onSqlite();

const server = createServer(async (request, response) => {
  const call = JSON.parse(await bodyOf(request)) as SentEvent | { events: SentEvent[] };
  const isBatch = 'events' in call;
  const now = new Date().toISOString();
  const rows = (isBatch ? call.events : [call]).map((event) => toRow(event, now));
  await insert(rows);
  const answers = rows.map(([, id]) => ({ status: 201, eventId: id }));
  const json = JSON.stringify(isBatch ? { results: answers } : { eventId: answers[0]?.eventId });
  response
    .writeHead(isBatch ? 200 : 201, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
    })
    .end(json);
});
server.listen(0, '127.0.0.1', () => process.send?.('ready'));
process.on('message', async () => {
  process.send?.({ port: (server.address() as { port: number }).port, rows: await count() });
});
process.on('disconnect', () => process.exit(0));

type Row = (string | number | null)[];

function toRow({ installId, eventName, properties, occurredAt }: SentEvent, now: string): Row {
  return [appId, ids.next(), installId, eventName, JSON.stringify(properties), null, 0, occurredAt, now];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface Table {
  readonly appId: string;
  readonly insert: (rows: readonly Row[]) => Promise<void>;
  readonly count: () => Promise<number>;
}

/** In a schema of its own of the service's database, so that one server does both. */
async function onPostgres(): Promise<Table> {
  const pool = new pg.Pool({ connectionString: serviceDatabase, max: CONNECTIONS });
  await pool.query('create schema bare');
  await pool.query('create table bare.events (like events including all)');
  const { rows: apps } = await pool.query<{ app_id: string }>('select app_id from bootstraps');
  return {
    appId: apps[0]?.app_id ?? '',
    // One statement is a transaction.
    async insert(rows) {
      const places = rows.map((_, row) => `(${COLUMNS.map((_, i) => `$${row * COLUMNS.length + i + 1}`)})`);
      await pool.query(`insert into bare.events (${COLUMNS}) values ${places}`, rows.flat());
    },
    async count() {
      const { rows } = await pool.query<{ n: string }>('select count(*) as n from bare.events');
      return Number(rows[0]?.n);
    },
  };
}

/** In a file of its own, since the service's has one writer. */
function onSqlite(): Table {
  const db = new DatabaseSync(ownFile);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.prepare('attach ? as service').run(serviceDatabase);
  const copied = "tbl_name = 'events' and sql is not null";
  for (const { sql } of db.prepare(`select sql from service.sqlite_master where ${copied}`).all())
    db.exec(String(sql));
  const app = db.prepare('select app_id from service.bootstraps').get();
  db.exec('detach service');
  const one = db.prepare(`insert into events (${COLUMNS}) values (${COLUMNS.map(() => '?')})`);
  return {
    appId: String(app?.app_id),
    async insert(rows) {
      db.exec('begin immediate');
      for (const row of rows) one.run(...row);
      db.exec('commit');
    },
    count: async () => Number(db.prepare('select count(*) as n from events').get()?.n),
  };
}
