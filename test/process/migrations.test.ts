/** Migrations are atomic and run in one process at a time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { migrations } from '../../migrations/index.ts';
import { type ColumnTypes, openMigrated } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { startHalfMigration } from '../helpers/half-migration-process.ts';
import { runCommand } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

const NOTHING_TO_DO = 'Nothing to do: all migrations are applied.\n';
const APPLIED = `Applied: ${Object.keys(migrations({} as ColumnTypes)).join(', ')}\n`;
/** A process that waits for another one logs this after a second. */
const LOGGED_AFTER_MS = 2_000;
/** Any other wait is logged after fifteen seconds. */
const WARN_AFTER_MS = 15_000;
const OPTIONS = { log: createLog('silent'), onDeath: () => undefined };

for (const engine of engines)
  describe(`migrations on ${engine}`, () => {
    for (const [what, before] of [
      ['an empty database', false],
      ['a database of the previous version', true],
    ] as const)
      it(`leave ${what} unchanged when their process is killed midway, and the next run completes them`, async (t) => {
        const place = await makePlace(engine, { isEmpty: !before });
        t.after(() => place.remove());
        const half = await startHalfMigration(place);
        half.kill('SIGKILL');
        await once(half, 'exit');

        const { code, stdout, stderr } = await runCommand(['migrate'], place.env);
        assert.deepEqual(
          { code, stdout, stderr },
          { code: 0, stdout: before ? NOTHING_TO_DO : APPLIED, stderr: '' },
        );
        await assert.rejects(queryStored(place, 'select * from half'));
      });

    it('that are pending are applied, and no others', async (t) => {
      const place = await makePlace(engine);
      t.after(() => place.remove());
      const { store, applied } = await openMigrated(configOf(place), more, OPTIONS);
      await store.close();
      assert.deepEqual(applied, ['9999_more']);
      assert.deepEqual(await queryStored(place, 'select * from more'), []);
    });

    it('whose tables or indexes are incomplete, as after an interrupted restore, refuse to start', async (t) => {
      const place = await makePlace(engine);
      t.after(() => place.remove());
      for (const missing of ['index postbacks_once', 'table clicks']) {
        await drop(place, missing);
        await assert.rejects(openMigrated(configOf(place), migrations, OPTIONS), {
          name: 'StartError',
          message: new RegExp(
            `^The database lacks [^\\n]*${missing}[,:] [^\\n]+\\. Restore a complete backup [^\\n]+$`,
          ),
        });
      }
    });
  });

describe('processes that migrate one PostgreSQL concurrently', {
  skip: !engines.includes('postgres'),
}, () => {
  it('run one after another, even when one is killed, and log that they wait', async (t) => {
    const place = await makePlace('postgres', { isEmpty: true });
    t.after(() => place.remove());
    const half = await startHalfMigration(place);
    t.after(() => half.kill('SIGKILL'));
    const others = ['one', 'two'].map((name) => runCommand(['migrate'], { ...place.env, DATA_DIR: name }));
    await lockWaiters(place, "locktype = 'advisory'", others.length);
    await sleep(LOGGED_AFTER_MS);
    half.kill('SIGKILL');
    const ends = await Promise.all(others);
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0],
    );
    assert.deepEqual(ends.map(({ stdout }) => `${stdout.split('\n').at(-2)}\n`).sort(), [
      APPLIED,
      NOTHING_TO_DO,
    ]);
    for (const { stderr, output } of ends)
      assert.match(stderr + output, /Another process is migrating the database/);
  });
});

describe('tables that another session has locked', { skip: !engines.includes('postgres') }, () => {
  it('delay a start, which logs that it waits', async (t) => {
    const place = await makePlace('postgres');
    const other = new pg.Client({ connectionString: place.databaseUrl ?? '' });
    await other.connect();
    t.after(async () => {
      await other.end();
      await place.remove();
    });
    await other.query('begin; lock table schema_migrations');
    t.mock.timers.enable({ apis: ['setInterval'] });
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line).msg) });
    const opening = openMigrated(configOf(place), migrations, { ...OPTIONS, log });
    await lockWaiters(place, "relation = 'schema_migrations'::regclass", 1);
    assert.deepEqual(logged, []);
    t.mock.timers.tick(WARN_AFTER_MS);
    assert.match(logged.join(), /^Still waiting for the database/);
    await other.query('rollback');
    const { store, applied } = await opening;
    await store.close();
    assert.deepEqual(applied, []);
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

/** Waits until `count` sessions wait for a lock. */
async function lockWaiters(place: Place, lock: string, count: number): Promise<void> {
  const locks = `select 1 from pg_locks where ${lock} and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await waitFor(`${count} sessions to wait for the lock`, async () =>
    (await queryStored(place, locks)).length === count ? true : undefined,
  );
}

function configOf({ databaseUrl, dataDir }: Place) {
  return { databaseUrl, dataDir };
}
