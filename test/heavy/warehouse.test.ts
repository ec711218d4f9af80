/** `throughline export --format parquet`: a folder by day, read by DuckDB. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { DAY_MS, dayOf, isoTime } from '../../src/lib/clock.ts';
import { blocksFor } from '../helpers/documents/listed.ts';
import { engines } from '../helpers/engines.ts';
import { callCommand } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { freshAddress, type TestApp, World } from '../helpers/world.ts';

const DAYS = 6;
const QUERIES = blocksFor('test/heavy/warehouse.test.ts').map(({ text }) => text);

for (const engine of engines)
  describe(`a warehouse on ${engine}`, () => {
    const world = new World(engine, {});
    const folder = mkdtempSync(join(tmpdir(), 'throughline-warehouse-'));
    const warehouse = join(folder, 'warehouse');
    const long = new Date(0);
    let app: TestApp;
    let firstInstall = '';

    before(async () => {
      world.clock.advance(-(DAYS - 1) * DAY_MS);
      await world.open();
      app = await world.newApp();
      for (let day = 0; day < DAYS; day += 1) {
        if (day > 0) world.clock.advance(DAY_MS);
        const installId = await recordDay(day);
        if (day === 0) firstInstall = installId;
      }
      await world.close();
    });
    after(async () => {
      await world.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    /** A click, an install and a purchase of its user. */
    async function recordDay(day: number): Promise<string> {
      const { shortCode } = await world.newLink(app, { campaignId: `spring-${day % 2}` });
      await world.tap(shortCode);
      const { installId } = (
        await world.install(app, {}, { key: app.keys.live_publishable, from: freshAddress() })
      ).body;
      const revenue = { amount: '999999999999.9999', currency: 'EUR' };
      const event = { installId, eventName: 'purchase', userId: `user-${day}`, revenue };
      const { status } = await world.call('POST', '/v1/sdk/event', {
        key: app.keys.live_publishable,
        body: event,
      });
      assert.ok(status < 300);
      return installId as string;
    }

    const exportTo = async (...more: string[]) => {
      const args = [
        'export',
        '--format',
        'parquet',
        '--app',
        app.id,
        '--output',
        warehouse,
        '--quiet',
        ...more,
      ];
      return await callCommand(args, world.place.env);
    };
    const files = () =>
      readdirSync(warehouse, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.parquet'))
        .sort();
    const bytes = () =>
      Object.fromEntries(
        files().map((name) => [name, readFileSync(join(warehouse, name)).toString('base64')]),
      );
    /** So that a file that is written again is seen. */
    const age = () => {
      for (const name of files()) utimesSync(join(warehouse, name), long, long);
    };
    const rewritten = () => files().filter((name) => statSync(join(warehouse, name)).mtimeMs > 0);
    const dayBefore = (days: number) => dayOf(isoTime(Date.now() - days * DAY_MS));

    it('has a file for each kind and day, and says how many', async () => {
      const { code, stdout, stderr } = await exportTo();
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^Wrote ${3 * DAYS} files to `));
      assert.deepEqual(files().length, 3 * DAYS);
      assert.ok(files().includes(`installs/day=${dayBefore(DAYS - 1)}/part-0.parquet`));
    });

    it('written twice is the same: equal files are left as they are', async () => {
      const first = bytes();
      age();
      const { stdout } = await exportTo();
      assert.match(stdout, /^Wrote 0 files .* 9 had not changed/);
      assert.deepEqual(bytes(), first);
      assert.deepEqual(rewritten(), []);
      await exportTo('--from', dayBefore(DAYS - 1));
      assert.deepEqual(bytes(), first);
    });

    it('is read by DuckDB with days, times and exact amounts, by every query of the guide', async () => {
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      const run = async (sql: string) =>
        (await connection.runAndReadAll(sql.replaceAll("'warehouse/", `'${warehouse}/`))).getRowObjectsJson();
      assert.deepEqual(
        await run(`select count(*) as n, sum(revenueAmount)::varchar as total, min(day)::varchar as first,
          any_value(typeof(createdAt)) as at, any_value(typeof(revenueAmount)) as amount
          from read_parquet('warehouse/events/*/*.parquet', hive_partitioning = true)`),
        [
          {
            n: String(DAYS),
            total: '5999999999999.9994',
            first: dayBefore(DAYS - 1),
            at: 'TIMESTAMP WITH TIME ZONE',
            amount: 'DECIMAL(16,4)',
          },
        ],
      );
      const metadata = await run(`select decode(key) as key, decode(value) as value
        from parquet_kv_metadata('warehouse/clicks/*/*.parquet') where decode(key) = 'throughline.schema'`);
      assert.deepEqual(metadata[0], { key: 'throughline.schema', value: '1' });
      assert.ok(QUERIES.length >= 3);
      for (const query of QUERIES) assert.ok((await run(query)).length > 0, query);
      connection.closeSync();
    });

    it('goes on where it ended, and rewrites a day that an erasure touched', async () => {
      await world.open();
      const user = { userId: 'user-0' };
      const erasure = await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body: user });
      await waitFor('the erasure', async () => {
        const { body } = await world.call('GET', `/v1/privacy/erase/${erasure.body.requestIds[0]}`, {
          key: app.keys.live,
        });
        return body.status === 'completed' || undefined;
      });
      await recordDay(DAYS);
      await world.close();
      age();
      assert.equal((await exportTo()).code, 0);
      const today = dayBefore(0);
      const touched = dayBefore(DAYS - 1);
      assert.deepEqual(
        rewritten().map((name) => name.split('/').slice(0, 2).join(' ')),
        [
          `clicks day=${today}`,
          ...[`events day=${touched}`, `events day=${today}`],
          ...[`installs day=${touched}`, `installs day=${today}`],
        ],
      );
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      const rows = (
        await connection.runAndReadAll(
          `select installId, userId, erasedAt is not null as erased from '${warehouse}/events/day=${touched}/part-0.parquet'`,
        )
      ).getRowObjectsJson();
      assert.deepEqual(rows, [{ installId: firstInstall, userId: null, erased: true }]);
      connection.closeSync();
    });

    it('refuses the folder of another app, and leaves it as it is', async () => {
      const before = bytes();
      const args = [
        'export',
        '--format',
        'parquet',
        '--app',
        '01900000-0000-7000-8000-000000000000',
        '--output',
        warehouse,
      ];
      const { code, stderr } = await callCommand(args, world.place.env);
      assert.equal(code, 1);
      assert.match(stderr, /has the records of another app[^\n]*Name another folder\.\n$/);
      assert.deepEqual(bytes(), before);
    });
  });
