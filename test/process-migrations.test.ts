/** Migrations are applied whole or not at all, and by one process at a time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { migrations } from '../migrations/index.ts';
import { openMigrated } from '../src/platform/db/index.ts';
import { createLog } from '../src/platform/log.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { startHalfMigration } from './half-migration-process.ts';
import { runCommand, startServer } from './process.ts';
import { queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';

const NOTHING_TO_DO = 'Nothing to do: all migrations are applied.\n';
/** Names alone: no migration runs, so its column types do not matter. */
const APPLIED = `Applied: ${Object.keys(migrations({} as Parameters<typeof migrations>[0])).join(', ')}\n`;
/** Whoever waits for a second says so. */
const SAID_AFTER_MS = 2_000;
/** Whatever a start waits for, it says so after fifteen. */
const WAITING_SAID_AFTER_MS = 18_000;

for (const engine of engines)
  describe(`migrations on ${engine}`, () => {
    for (const [what, before] of [
      ['an empty database', false],
      ['a database of the version before', true],
    ] as const)
      it(`leave ${what} as it was when their process is killed midway, and the next start completes`, async (t) => {
        const place = await makePlace(engine, { isEmpty: true });
        t.after(() => place.remove());
        if (before) assert.equal((await runCommand(['migrate'], place.env)).stdout, APPLIED);
        const half = await startHalfMigration(place);
        half.kill('SIGKILL');
        await once(half, 'exit');

        const { code, stdout, stderr } = await runCommand(['migrate'], place.env);
        assert.deepEqual(
          { code, stdout, stderr },
          { code: 0, stdout: before ? NOTHING_TO_DO : APPLIED, stderr: '' },
        );
        await assert.rejects(queryStored(place, 'select * from half'));
        const server = await startServer(place);
        assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
      });

    it('that are missing are applied by the next start, and no others', async (t) => {
      const place = await makePlace(engine, { isEmpty: true });
      t.after(() => place.remove());
      await runCommand(['migrate'], place.env);
      const { store, applied } = await openMigrated(
        { databaseUrl: place.databaseUrl, dataDir: place.dataDir },
        more,
        {
          log: createLog('silent'),
          onDeath: () => undefined,
        },
      );
      await store.close();
      assert.deepEqual(applied, ['9999_more']);
      assert.deepEqual(await queryStored(place, 'select * from more'), []);
    });

    it('of which not all is there, as after half a restore, end every start with one line', async (t) => {
      const place = await makePlace(engine, { isEmpty: true });
      t.after(() => place.remove());
      await runCommand(['migrate'], place.env);
      for (const lacks of ['index postbacks_once', 'table clicks']) {
        await drop(place, lacks);
        for (const command of ['serve', 'migrate']) {
          const { code, stderr } = await runCommand([command], { ...place.env, PORT: '0' });
          assert.equal(code, 1);
          assert.match(
            stderr,
            new RegExp(`^The database lacks [^\\n]*${lacks}, [^\\n]+\\. Restore a backup [^\\n]+\\n$`),
          );
        }
      }
    });
  });

describe('processes that migrate one PostgreSQL at once', { skip: !engines.includes('postgres') }, () => {
  it('take turns, also after one that is killed at it, and say what they wait for', async (t) => {
    const place = await makePlace('postgres', { isEmpty: true });
    t.after(() => place.remove());
    const half = await startHalfMigration(place);
    t.after(() => half.kill('SIGKILL'));
    const others = ['one', 'two', 'three'].map((name) =>
      runCommand(['migrate'], { ...place.env, DATA_DIR: name }),
    );
    await waiting(place, others.length);
    await sleep(SAID_AFTER_MS);
    half.kill('SIGKILL');
    const ends = await Promise.all(others);
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.deepEqual(ends.map(({ stdout }) => `${stdout.split('\n').at(-2)}\n`).sort(), [
      APPLIED,
      NOTHING_TO_DO,
      NOTHING_TO_DO,
    ]);
    for (const { stderr, output } of ends)
      assert.match(stderr + output, /another process migrates the database/);
  });
});

describe('tables that another session keeps locked', { skip: !engines.includes('postgres') }, () => {
  it('let a start wait, which says so until it goes on', async (t) => {
    const place = await makePlace('postgres', { isEmpty: true });
    t.after(() => place.remove());
    await runCommand(['migrate'], place.env);
    const other = new pg.Client({ connectionString: place.databaseUrl ?? '' });
    await other.connect();
    await other.query('begin; lock table schema_migrations');
    const command = runCommand(['migrate'], place.env);
    await sleep(WAITING_SAID_AFTER_MS);
    await other.end();
    const { code, stdout, stderr } = await command;
    assert.deepEqual({ code, stdout }, { code: 0, stdout: NOTHING_TO_DO });
    assert.match(stderr, /still waits for the database/);
  });
});

const more: typeof migrations = (types) => ({
  ...migrations(types),
  '9999_more': { up: async (db) => void (await sql`create table more (id integer primary key)`.execute(db)) },
});

async function drop(place: Place, what: string): Promise<void> {
  if (place.databaseUrl !== null) return void (await queryStored(place, `drop ${what}`));
  const db = new DatabaseSync(join(place.dataDir, 'throughline.db'));
  db.exec(`drop ${what}`);
  db.close();
}

async function waiting(place: Place, count: number): Promise<void> {
  const locks = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  const isWaiting = async () => ((await queryStored(place, locks)).length === count ? true : undefined);
  await waitFor(`${count} processes wait`, isWaiting, { withinMs: 25_000 });
}
