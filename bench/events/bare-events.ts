/**
 * The baseline for events, a separate process: parses the same JSON, inserts the same rows into copies of the service's
 * tables, in one transaction per call, and returns the ids. No validation, no counts, no webhooks.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createIds } from '../../src/lib/ids.ts';
import { serveOrders } from '../lib/worker.ts';

interface SentEvent {
  readonly installId: string;
  readonly eventName: string;
  readonly properties: object;
  readonly occurredAt: string;
}

const COLUMNS =
  'app_id, id, install_id, event_name, properties, user_id, sandbox, occurred_at, created_at'.split(', ');
/** As in the service. */
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
  const results = rows.map(([, id]) => ({ status: 201, eventId: id }));
  const json = JSON.stringify(isBatch ? { results } : { eventId: results[0]?.eventId });
  response
    .writeHead(isBatch ? 200 : 201, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
    })
    .end(json);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveOrders(async () => ({ port, rows: await count() }));
});

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

/** In a separate schema of the service's database. */
async function onPostgres(): Promise<Table> {
  const pool = new pg.Pool({ connectionString: serviceDatabase, max: CONNECTIONS });
  await pool.query('create schema bare');
  await pool.query('create table bare.events (like events including all)');
  const { rows: apps } = await pool.query<{ app_id: string }>('select app_id from bootstraps');
  return {
    appId: apps[0]?.app_id ?? '',
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

/** In a separate file, because SQLite allows one writer. */
function onSqlite(): Table {
  const db = new DatabaseSync(ownFile);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.prepare('attach ? as service').run(serviceDatabase);
  const copied = "tbl_name = 'events' and sql is not null";
  for (const { sql } of db.prepare(`select sql from service.sqlite_master where ${copied}`).all())
    db.exec(String(sql));
  const app = db.prepare('select app_id from service.bootstraps').get();
  db.exec('detach service');
  const statement = db.prepare(`insert into events (${COLUMNS}) values (${COLUMNS.map(() => '?')})`);
  return {
    appId: String(app?.app_id),
    async insert(rows) {
      db.exec('begin immediate');
      for (const row of rows) statement.run(...row);
      db.exec('commit');
    },
    count: async () => Number(db.prepare('select count(*) as n from events').get()?.n),
  };
}
