/** The startup error for a database that cannot be used: one line with the cause and the remedy. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { migrations } from '../../migrations/index.ts';
import type { Config } from '../../src/config.ts';
import { openMigrated } from '../../src/db/index.ts';
import { StartError } from '../../src/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import { citusUrl } from '../helpers/citus.ts';
import { type Engine, engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { runCommand } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const PASSWORD = 'hidden-word';

interface BadDatabase {
  readonly name: string;
  readonly error: RegExp;
  /** A precondition of the test server that a cluster may lack. */
  readonly needs?: string;
  /** Whether `prepare` needs the tables. */
  readonly isMigrated?: boolean;
  /** Breaks the database, or returns another `DATABASE_URL`. */
  prepare(place: Place, t: TestContext): Promise<unknown>;
}

const POSTGRES: readonly BadDatabase[] = [
  {
    name: 'at an unknown host',
    error: /unknown host \(db\.invalid:5432\)\. Correct it/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { hostname: 'db.invalid', port: '' }),
  },
  {
    name: 'at a port without a listener',
    error: /connection refused by 127\.0\.0\.1:\d+\. Start PostgreSQL/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { port: String(await freePort()) }),
  },
  {
    name: 'at an address that never responds',
    error: /connection to 127\.0\.0\.1:\d+ timed out\. Check/,
    prepare: async ({ databaseUrl }, t) => changed(databaseUrl, { port: await listen(t, () => undefined) }),
  },
  {
    name: 'a web server',
    error: /127\.0\.0\.1:\d+ closed the connection\. Start again/,
    prepare: async ({ databaseUrl }, t) =>
      changed(databaseUrl, {
        port: await listen(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      }),
  },
  {
    name: 'rejecting the password',
    needs: 'a server that asks for a password',
    error: /rejects the user or the password\. Correct them/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { password: PASSWORD }),
  },
  {
    name: 'missing on the server',
    error: /database "no_such" does not exist\. Create it/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { pathname: '/no_such' }),
  },
  {
    name: 'configured with TLS on a server without TLS',
    needs: 'a server without TLS',
    error: /does not support TLS\. Remove sslmode/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { search: '?sslmode=require' }),
  },
  {
    name: 'configured with an unknown parameter',
    error: /unrecognized configuration parameter "bogus"\. Correct options/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { search: '?options=-c%20bogus%3Don' }),
  },
  {
    name: 'configured with a missing certificate file',
    error: /open '\/nowhere\.crt'\. Correct sslrootcert/,
    prepare: async ({ databaseUrl }) =>
      changed(databaseUrl, { search: '?sslmode=verify-full&sslrootcert=/nowhere.crt' }),
  },
  {
    name: 'at a missing socket',
    error: /PostgreSQL has no socket there \(.*\)\. Start PostgreSQL/,
    prepare: async ({ databaseUrl }) => changed(databaseUrl, { search: '?host=/nowhere' }),
  },
  {
    name: 'closed to table creation by its user',
    error: /permission denied for schema public\. Allow its user to create tables/,
    async prepare(place, t) {
      const user = `reader_${process.hrtime.bigint()}`;
      await administer(place, `create user ${user} password '${PASSWORD}'`);
      const server = { ...place, databaseUrl: process.env.TEST_DATABASE_URL ?? null };
      t.after(() => administer(server, `drop user ${user}`));
      return changed(place.databaseUrl, { username: user, password: PASSWORD });
    },
  },
  {
    name: 'read-only, as a standby is',
    error: /read-only, as a standby is\. Set DATABASE_URL to the primary/,
    async prepare(place) {
      const name = new URL(place.databaseUrl ?? '').pathname.slice(1);
      await administer(place, `alter database ${name} set default_transaction_read_only = on`);
    },
  },
];

const SQLITE: readonly BadDatabase[] = [
  {
    name: 'not a SQLite file',
    error: /not a SQLite database \(.*\)\. Restore a backup/,
    prepare: async (place) => void writeFileSync(fileOf(place), 'This is no database.'.repeat(100)),
  },
  {
    name: 'a directory',
    error: /cannot be opened \(.*\)\. Check that it is a file/,
    prepare: async (place) => void mkdirSync(fileOf(place)),
  },
  {
    name: 'damaged',
    isMigrated: true,
    error: /the file is damaged \(.*\)\. Restore a backup/,
    async prepare(place) {
      const bytes = readFileSync(fileOf(place));
      bytes.fill(0xa5, 100, 4_096);
      writeFileSync(fileOf(place), bytes);
    },
  },
  {
    name: 'locked by another program',
    isMigrated: true,
    error: /another program has locked it \(.*\)\. Stop that/,
    async prepare(place, t) {
      const other = new DatabaseSync(fileOf(place));
      t.after(() => other.close());
      other.exec('begin immediate');
    },
  },
];

const EITHER: readonly BadDatabase[] = [
  {
    name: 'migrated by a newer version',
    isMigrated: true,
    error:
      /version [\d.]+ does not know \(9998_later, 9999_last\): a newer version applied them\. Run that version/,
    async prepare(place) {
      for (const name of ['9999_last', '9998_later'])
        await administer(
          place,
          `insert into schema_migrations values ('${name}', '2026-11-21T00:00:00.000Z')`,
        );
    },
  },
  {
    name: 'filled with the tables of another program',
    error: /holds tables of another program.*\(.*"?apps"? already exists\)/,
    prepare: async (place) => void (await administer(place, 'create table apps (id integer)')),
  },
];

for (const engine of engines)
  describe(`a database on ${engine}`, { concurrency: 2 }, () => {
    const cases = [...(engine === 'sqlite' ? SQLITE : POSTGRES), ...EITHER];
    for (const { name, error, prepare, needs, isMigrated = false } of cases)
      it(`that is ${name} fails to open with one line, and stays unchanged`, {
        skip: citusUrl !== undefined && needs !== undefined && `needs ${needs}`,
      }, async (t) => {
        const place = await makePlace(engine, { isEmpty: !isMigrated });
        t.after(() => place.remove());
        const url = await prepare(place, t);
        const before = await tablesOf(place, engine);
        const databaseUrl = typeof url === 'string' ? url : place.databaseUrl;
        const failure = await openFailure({ databaseUrl, dataDir: place.dataDir });
        assert.match(failure, /^The database [^\n]+\.$/);
        assert.match(failure, error);
        for (const password of [PASSWORD, new URL(place.databaseUrl ?? 'a://b').password])
          assert.ok(password === '' || !failure.includes(password), 'the error contains the password');
        assert.deepEqual(await tablesOf(place, engine), before);
      });

    it('that fails to open ends serve and migrate with that line alone', async (t) => {
      const place = await makePlace(engine, { isEmpty: true });
      t.after(() => place.remove());
      const env = { ...place.env, PORT: '0' };
      if (engine === 'sqlite') mkdirSync(fileOf(place));
      else {
        const parts = { port: String(await freePort()), password: PASSWORD };
        Object.assign(env, { DATABASE_URL: changed(place.databaseUrl, parts) });
      }
      for (const command of ['serve', 'migrate']) {
        const { code, output, stderr } = await runCommand([command], env);
        assert.equal(code, engine === 'sqlite' ? 78 : 1, `${command}: ${output}`);
        assert.match(stderr, /^The database [^\n]+ cannot be used: [^\n]+\.\n$/, command);
        assert.doesNotMatch(output, new RegExp(PASSWORD));
      }
    });
  });

/** The message of the error that opening and migrating fails with. */
async function openFailure(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<string> {
  try {
    const options = { log: createLog('silent'), onDeath: () => undefined };
    await (await openMigrated(config, migrations, options)).store.close();
  } catch (error) {
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  }
  assert.fail('opening the database did not fail');
}

function fileOf({ dataDir }: Place): string {
  return join(dataDir, 'throughline.db');
}

function changed(databaseUrl: string | null, parts: Partial<URL>): string {
  return Object.assign(new URL(databaseUrl ?? ''), parts).href;
}

async function listen(t: TestContext, talk: (socket: import('node:net').Socket) => unknown): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
    talk(socket);
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as { port: number }).port);
}

/** Runs a statement without the service. */
async function administer(place: Place, statement: string): Promise<void> {
  if (place.databaseUrl === null) {
    const db = new DatabaseSync(fileOf(place));
    db.exec(statement);
    return db.close();
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Null if the database cannot be queried. */
async function tablesOf(place: Place, engine: Engine): Promise<unknown> {
  const tables =
    engine === 'sqlite'
      ? "select name from sqlite_master where type = 'table' order by 1"
      : "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1";
  return await queryStored(place, tables).catch(() => null);
}

describe('a database that fails after it was opened', { skip: !engines.includes('postgres') }, () => {
  it('ends the first start in one line, and leaves no app', async (t) => {
    const place = await makePlace('postgres');
    t.after(() => place.remove());
    await queryStored(
      place,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'refused' using errcode = 'cannot_connect_now'; end $$;
       create trigger refuse before insert on bootstraps for each row execute function refuse()`,
    );
    const { code, stderr } = await runCommand(['serve'], { ...place.env, PORT: '0' });
    assert.deepEqual(
      [code, stderr],
      [1, 'The database of DATABASE_URL cannot be used: refused. Try again in a moment.\n'],
    );
    assert.deepEqual(await queryStored(place, 'select id from apps'), []);
  });
});
