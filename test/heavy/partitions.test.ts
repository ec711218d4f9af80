/** Time partitions on PostgreSQL: created ahead, dropped whole, without blocking requests. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import pino from 'pino';
import { createPartitionsAhead } from '../../src/db/create-partitions.ts';
import { listTableNames, type PartitionedTable, PERIOD_OF } from '../../src/db/index.ts';
import { DAY_MS, isoTime, startOf } from '../../src/lib/clock.ts';
import { dropOld } from '../../src/privacy/retention.ts';
import { engines } from '../helpers/engines.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../helpers/world.ts';

const ENV = {
  CLICK_RETENTION_DAYS: '10',
  WEBHOOK_RETENTION_DAYS: '10',
  EVENT_RETENTION_DAYS: '10',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
};
const STORES = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  fallbackUrl: 'https://example.com/',
};
/** A month in which every row has expired. */
const LATER_MS = 60 * DAY_MS;
const TABLES = Object.keys(PERIOD_OF) as PartitionedTable[];
const LETTERS = { day: 'YYYY-MM-DD'.length, month: 'YYYY-MM'.length };

describe('partitions by time', { skip: !engines.includes('postgres') }, () => {
  const world = useWorld('postgres', ENV);
  const receiver = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
  after(() => receiver.close());
  const stored = (sql: string) => queryStored(world.place, sql);

  it('a process that starts while another drops partitions finds its tables', async () => {
    const { db } = world.service;
    const names = Array.from({ length: 40 }, (_, n) => `dropped_${n}`);
    const columns = Array.from({ length: 40 }, (_, n) => `c${n} int`);
    for (const name of names) await stored(`create table ${name} (${columns})`);
    let isOver = false;
    const drops = (async () => {
      for (const name of names) await stored(`drop table ${name}`);
      isOver = true;
    })();
    while (!isOver) assert.ok((await listTableNames(db)).has('clicks'));
    await drops;
    assert.ok(!(await listTableNames(db)).has('dropped_0'));
  });

  for (const table of TABLES)
    it(`of ${table} are created a week or a month ahead`, async () => {
      const ahead = PERIOD_OF[table] === 'day' ? [0, 1, 2, 3, 4, 5, 6] : [0, 1];
      assert.deepEqual(
        await partitionsOf(table),
        ahead.map((later) => partitionAt(table, later)),
      );
    });

  it('store current rows, and are dropped whole', async () => {
    const app = await newBusyApp();
    await goThrough(app);
    for (const table of TABLES) assert.notDeepEqual(await stored(`select id from ${partitionAt(table)}`), []);
    const before = TABLES.map((table) => partitionAt(table));
    world.clock.advance(LATER_MS);
    await dropOld(world.service);
    const left = (await Promise.all(TABLES.map(partitionsOf))).flat();
    for (const name of before) assert.ok(!left.includes(name), name);
  });

  it('may be missing: rows go to the default partition and are found and dropped', async () => {
    const app = await newBusyApp();
    world.clock.advance(400 * DAY_MS);
    const clickId = await goThrough(app);
    const { method } = (await world.install(app, { clickId })).body;
    assert.equal(method, 'CLICK_ID');
    const rest = TABLES.map((table) => `${table}_other_${PERIOD_OF[table]}s`);
    for (const table of rest) assert.notDeepEqual(await stored(`select id from ${table}`), [], table);
    world.clock.advance(LATER_MS);
    await dropOld(world.service);
    for (const table of rest) assert.deepEqual(await stored(`select id from ${table}`), [], table);
  });

  it('that were detached, and tables with similar names, are kept', async () => {
    const { service } = world;
    await service.store.makePartitions(world.clock.nowMs());
    const detached = partitionAt('clicks');
    await stored(`alter table clicks detach partition ${detached}`);
    await stored('create table events_2020 (id int)');
    world.clock.advance(LATER_MS);
    await dropOld(service);
    for (const name of [detached, 'events_2020'])
      assert.deepEqual(await stored(`select id from ${name}`), []);
  });

  it('are created by two processes concurrently', async () => {
    world.clock.advance(LATER_MS);
    const { store } = world.service;
    await Promise.all([1, 2, 3].map(() => store.makePartitions(world.clock.nowMs())));
    for (const table of TABLES) assert.ok((await partitionsOf(table)).includes(partitionAt(table)), table);
  });

  it('wait for a long reader without blocking other sessions', async () => {
    const app = await newBusyApp();
    const { service } = world;
    await service.store.makePartitions(world.clock.nowMs());
    await goThrough(app);
    const old = TABLES.map((table) => partitionAt(table));
    world.clock.advance(LATER_MS);
    const young = TABLES.map((table) => partitionAt(table));

    const dump = await connect();
    await dump.query('begin');
    for (const table of TABLES) await dump.query(`select id from ${table} limit 1`);
    await dump.query('select pg_sleep(0.4)');
    let isDone = false;
    const work = (async () => {
      await service.store.makePartitions(world.clock.nowMs());
      await dropOld(service);
    })().finally(() => {
      isDone = true;
    });
    await Promise.all([work, writeWithoutWaiting(() => isDone), goThrough(app)]);
    const during = (await Promise.all(TABLES.map(partitionsOf))).flat();
    for (const name of old) assert.notDeepEqual(await stored(`select id from ${name}`), [], name);
    assert.deepEqual(
      young.filter((name) => during.includes(name)),
      [],
    );
    await dump.end();

    await service.clickLog.applied();
    await service.store.makePartitions(world.clock.nowMs() + DAY_MS);
    await dropOld(service);
    const left = (await Promise.all(TABLES.map(partitionsOf))).flat();
    assert.deepEqual(
      old.filter((name) => left.includes(name)),
      [],
    );
    assert.ok(left.includes(partitionAt('clicks', 1)));
  });

  it('are created later if a new reader holds a lock', async () => {
    const app = await newBusyApp();
    const { service } = world;
    world.clock.advance(LATER_MS);
    await service.store.makePartitions(world.clock.nowMs());
    await goThrough(app);
    const old = partitionAt('clicks');
    world.clock.advance(LATER_MS);
    await service.db.transaction().execute(async (reader) => {
      await reader.selectFrom('clicks').select('id').limit(1).execute();
      assert.equal(await service.store.dropPartitions('clicks', world.clock.nowMs()), false);
      assert.ok((await partitionsOf('clicks')).includes(old));
    });
    assert.equal(await service.store.dropPartitions('clicks', world.clock.nowMs()), true);
    assert.ok(!(await partitionsOf('clicks')).includes(old));
  });

  it('that will soon be missing are logged with the cause', async () => {
    const { warnings, log } = warned();
    const { store, clock } = world.service;
    await store.makePartitions(clock.nowMs());
    const aheadMs = (days: number) => ({ nowMs: () => world.clock.nowMs() + days * DAY_MS });

    const reader = await connect();
    await reader.query('begin');
    await reader.query('select id from clicks limit 1');
    await reader.query('select pg_sleep(0.4)');
    await createPartitionsAhead({ store, log, clock: aheadMs(1) });
    assert.equal(warnings.length, 0);
    await createPartitionsAhead({ store, log, clock: aheadMs(7) });
    await reader.end();
    assert.deepEqual(
      warnings.map(({ missing }) => missing),
      [[partitionAt('clicks', 7), partitionAt('clicks', 8)]],
    );
    assert.match(warnings[0]?.msg ?? '', /long transaction/);
  });

  it('that cannot be created at startup are logged, and the start continues', async () => {
    const { warnings, log } = warned();
    const { store, clock } = world.service;
    const makePartitions = async () => {
      throw Object.assign(new Error('connection to the remote node failed'), { code: '08006' });
    };
    await createPartitionsAhead({ store: { ...store, makePartitions }, log, clock });
    assert.match(warnings[0]?.msg ?? '', /Failed to create partitions; rows/);
  });

  it('are dropped except for one that a view depends on', async (t) => {
    const { service } = world;
    await service.store.makePartitions(world.clock.nowMs());
    const [kept, next] = [partitionAt('clicks'), partitionAt('clicks', 1)];
    await stored(`create view dependent_view as select id from ${kept}`);
    t.after(() => stored('drop view dependent_view'));
    world.clock.advance(LATER_MS);
    assert.equal(await service.store.dropPartitions('clicks', world.clock.nowMs()), false);
    const left = await partitionsOf('clicks');
    assert.deepEqual([left.includes(kept), left.includes(next)], [true, false]);
    await dropOld(service);
  });

  function warned() {
    const warnings: { msg: string; missing: string[] }[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
    return { warnings, log };
  }

  /** An app with a webhook whose receiver echoes the message. */
  async function newBusyApp(): Promise<TestApp> {
    const app = await world.newApp(STORES);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const webhook = { url, secret: 'a secret of the receiver', events: ['event.recorded'] };
    const made = await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook });
    assert.equal(made.status, 201, made.text);
    return app;
  }

  /** A tap, an install and an event with a delivered webhook message. @returns the click's ID. */
  async function goThrough(app: TestApp): Promise<string> {
    const { shortCode } = await world.newLink(app);
    assert.equal((await world.tap(shortCode)).status, 302);
    const clickId = await world.clickId(shortCode);
    const { installId } = (await world.install(app)).body;
    const event = { installId, eventName: 'bought', eventId: randomUUID() };
    const told = await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
    assert.equal(told.status, 201, told.text);
    const attempts = `select id from webhook_attempts where app_id = '${app.id}' and response_body like '%${event.eventId}%'`;
    await waitFor('the message to be delivered', async () =>
      (await stored(attempts)).length === 1 ? true : undefined,
    );
    await world.service.clickLog.applied();
    return clickId;
  }

  /** Takes the locks of an insert repeatedly; fails if it would have to wait for one. */
  async function writeWithoutWaiting(isDone: () => boolean): Promise<void> {
    const client = await connect();
    await client.query(`set lock_timeout = '100ms'`);
    while (!isDone())
      await client.query(`begin; lock table ${TABLES.join(', ')} in row exclusive mode; rollback`);
    await client.end();
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: world.place.databaseUrl ?? '' });
    await client.connect();
    return client;
  }

  function partitionAt(table: PartitionedTable, later = 0): string {
    const period = PERIOD_OF[table];
    const from = isoTime(startOf(period, world.clock.nowMs(), later));
    return `${table}_${from.slice(0, LETTERS[period]).replaceAll('-', '')}`;
  }

  async function partitionsOf(table: PartitionedTable): Promise<unknown[]> {
    const rows = await stored(
      `select relname from pg_class where relkind = 'r' and relname ~ '^${table}_[0-9]+$' order by 1`,
    );
    return rows.map(({ relname }) => relname);
  }
});
