/**
 * The baseline for installs, a separate process: one transaction per install, with one insert and one update, on copies
 * of the service's tables and with a copy of one of its installs.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { createIds } from '../../src/lib/ids.ts';
import { serveOrders } from '../lib/worker.ts';

export interface BareOrder {
  readonly connections: number;
  readonly installs: number;
}

export interface BareResult {
  readonly elapsedMs: number;
}

interface Bare {
  run(order: BareOrder): Promise<BareResult>;
}

const [engine = '', serviceDatabase = '', ownFile = ''] = process.argv.slice(2);
const ids = createIds({ nowMs: () => Date.now() });

const bare = engine === 'PostgreSQL' ? await bareOnPostgres() : bareOnSqlite();
serveOrders((order: BareOrder) => bare.run(order));

/** In a separate schema of the service's database. */
async function bareOnPostgres(): Promise<Bare> {
  const client = await connectRaw();
  await client.query(`
    create schema bare;
    create table bare.clicks (like clicks including all);
    create table bare.installs (like installs including all);
    insert into bare.clicks select * from clicks where claimed_by_install is null`);
  await client.query('vacuum analyze');
  const { rows: samples } = await client.query<Record<string, string | null>>(
    'select * from installs limit 1',
  );
  const sample = sampleOf(samples);
  const { rows: clicks } = await client.query<{ id: string }>('select id from bare.clicks order by id');
  await client.end();

  const columns = Object.keys(sample);
  const insert = `insert into bare.installs (${columns}) values (${columns.map((_, i) => `$${i + 1}`)})`;
  const update = 'update bare.clicks set claimed_by_install = $1 where app_id = $2 and id = $3';
  async function recordInstall(connection: pg.Client): Promise<void> {
    const { install, clickId } = nextInstall(sample, clicks);
    await connection.query('begin');
    await connection.query(insert, Object.values(install));
    const { rowCount } = await connection.query(update, [install.id, install.app_id, clickId]);
    await connection.query('commit');
    if (rowCount !== 1) throw new Error(`click ${clickId} was not updated`);
  }
  return {
    async run({ connections, installs }) {
      const open = await Promise.all(Array.from({ length: connections }, connectRaw));
      let started = 0;
      const startMs = performance.now();
      await Promise.all(
        open.map(async (connection) => {
          while (started < installs) {
            started += 1;
            await recordInstall(connection);
          }
        }),
      );
      const elapsedMs = performance.now() - startMs;
      await Promise.all(open.map((connection) => connection.end()));
      return { elapsedMs };
    },
  };
}

/** Returns values as text, which can be inserted again. */
async function connectRaw(): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: serviceDatabase,
    types: { getTypeParser: () => (value: string) => value },
  });
  await client.connect();
  return client;
}

/** In a separate file and with one connection, because SQLite allows one writer. */
function bareOnSqlite(): Bare {
  const db = new DatabaseSync(ownFile);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.prepare('attach ? as service').run(serviceDatabase);
  const copied = "tbl_name in ('clicks', 'installs') and sql is not null";
  for (const { sql } of db.prepare(`select sql from service.sqlite_master where ${copied}`).all())
    db.exec(String(sql));
  db.exec('insert into main.clicks select * from service.clicks where claimed_by_install is null');
  const sample = sampleOf(db.prepare('select * from service.installs limit 1').all());
  const clicks = db.prepare('select id from main.clicks order by id').all() as { id: string }[];
  db.exec('detach service');

  const columns = Object.keys(sample);
  const insert = db.prepare(`insert into installs (${columns}) values (${columns.map(() => '?')})`);
  const update = db.prepare('update clicks set claimed_by_install = ? where app_id = ? and id = ?');
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  return {
    async run({ installs }) {
      const startMs = performance.now();
      for (let done = 0; done < installs; done++) {
        const { install, clickId } = nextInstall(sample, clicks);
        begin.run();
        insert.run(...Object.values(install));
        const { changes } = update.run(install.id ?? null, install.app_id ?? null, clickId);
        commit.run();
        if (changes !== 1) throw new Error(`click ${clickId} was not updated`);
      }
      return { elapsedMs: performance.now() - startMs };
    },
  };
}

type Row = Readonly<Record<string, SQLInputValue>>;

function sampleOf(rows: readonly Row[]): Row {
  const [sample] = rows;
  if (sample === undefined) throw new Error('the service has no install to copy');
  return sample;
}

function nextInstall(sample: Row, clicks: { id: string }[]): { install: Row; clickId: string } {
  const clickId = clicks.pop()?.id;
  if (clickId === undefined) throw new Error('there are fewer clicks than installs');
  return { install: { ...sample, id: ids.next(), click_id: clickId }, clickId };
}
