/** A database that cannot be used ends `serve` and `migrate` with one line that says why and what to do. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { citusUrl } from './citus.ts';
import { type Engine, engines, makePlace, type Place } from './engines.ts';
import { freePort } from './free-port.ts';
import { runCommand } from './process.ts';
import { queryStored } from './stored.ts';

const PASSWORD = 'hidden-word';

interface BadDatabase {
  readonly is: string;
  /** What the line says. */
  readonly says: RegExp;
  /** What the tests' own server is, and a cluster need not be. */
  readonly needs?: string;
  /** Makes it so; gives what is at `DATABASE_URL` where that is another address. */
  make(place: Place, t: TestContext): Promise<unknown>;
}

const POSTGRES: readonly BadDatabase[] = [
  {
    is: 'at a host that nobody knows',
    says: /no host of that name \(db\.invalid:5432\)\. Correct it/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { hostname: 'db.invalid', port: '' }),
  },
  {
    is: 'at a port where nothing listens',
    says: /nothing listens at 127\.0\.0\.1:\d+\. Start PostgreSQL/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { port: String(await freePort()) }),
  },
  {
    is: 'behind an address that is silent',
    says: /127\.0\.0\.1:\d+ does not answer in time\. Check/,
    make: async ({ databaseUrl }, t) => changed(databaseUrl, { port: await listen(t, () => undefined) }),
  },
  {
    is: 'not there, but a web server',
    says: /127\.0\.0\.1:\d+ breaks the connection off\. Start again/,
    make: async ({ databaseUrl }, t) =>
      changed(databaseUrl, {
        port: await listen(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      }),
  },
  {
    is: 'closed to this password',
    needs: 'a server that asks for a password',
    says: /refuses the user or the password\. Correct them/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { password: PASSWORD }),
  },
  {
    is: 'no database of the server',
    says: /database "no_such" does not exist\. Create it/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { pathname: '/no_such' }),
  },
  {
    is: 'asked for TLS, which the server does not speak',
    needs: 'a server without TLS',
    says: /takes no TLS\. Leave sslmode out/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { search: '?sslmode=require' }),
  },
  {
    is: 'asked for what it does not know',
    says: /unrecognized configuration parameter "bogus"\. Correct options/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { search: '?options=-c%20bogus%3Don' }),
  },
  {
    is: 'to be trusted by a certificate that is not there',
    says: /open '\/nowhere\.crt'\. Correct sslrootcert/,
    make: async ({ databaseUrl }) =>
      changed(databaseUrl, { search: '?sslmode=verify-full&sslrootcert=/nowhere.crt' }),
  },
  {
    is: 'at a socket that is not there',
    says: /no PostgreSQL has that socket \(.*\)\. Start it/,
    make: async ({ databaseUrl }) => changed(databaseUrl, { search: '?host=/nowhere' }),
  },
  {
    is: 'one in which its user may make no table',
    says: /permission denied for schema public\. Let its user create tables/,
    async make(place, t) {
      const user = `reader_${process.hrtime.bigint()}`;
      await administer(place, `create user ${user} password '${PASSWORD}'`);
      const server = { ...place, databaseUrl: process.env.TEST_DATABASE_URL ?? null };
      t.after(() => administer(server, `drop user ${user}`));
      return changed(place.databaseUrl, { username: user, password: PASSWORD });
    },
  },
  {
    is: 'read-only, as a standby is',
    says: /read-only, as a standby is\. Name the primary/,
    async make(place) {
      const name = new URL(place.databaseUrl ?? '').pathname.slice(1);
      await administer(place, `alter database ${name} set default_transaction_read_only = on`);
    },
  },
];

const SQLITE: readonly BadDatabase[] = [
  {
    is: 'no database at all',
    says: /no SQLite database \(.*\)\. Restore a backup/,
    make: async (place) => void writeFileSync(fileOf(place), 'This is no database.'.repeat(100)),
  },
  {
    is: 'a folder',
    says: /cannot be opened \(.*\)\. Check that it is a file/,
    make: async (place) => void mkdirSync(fileOf(place)),
  },
  {
    is: 'damaged',
    says: /the file is damaged \(.*\)\. Restore a backup/,
    async make(place) {
      await runCommand(['migrate'], place.env);
      const bytes = readFileSync(fileOf(place));
      bytes.fill(0xa5, 100, 4_096);
      writeFileSync(fileOf(place), bytes);
    },
  },
  {
    is: 'locked by another program',
    says: /another program has it locked \(.*\)\. Stop that/,
    async make(place, t) {
      await runCommand(['migrate'], place.env);
      const other = new DatabaseSync(fileOf(place));
      t.after(() => other.close());
      other.exec('begin immediate');
    },
  },
];

const EITHER: readonly BadDatabase[] = [
  {
    is: 'a newer version’s',
    says: /version [\d.]+ does not know \(9998_later, 9999_last\), so a newer version made them\. Run that version/,
    async make(place) {
      await runCommand(['migrate'], place.env);
      for (const name of ['9999_last', '9998_later'])
        await administer(
          place,
          `insert into schema_migrations values ('${name}', '2026-11-21T00:00:00.000Z')`,
        );
    },
  },
  {
    is: 'something else’s',
    says: /holds tables of something else \(.*"?apps"? already exists\)/,
    make: async (place) => void (await administer(place, 'create table apps (id integer)')),
  },
];

for (const engine of engines)
  describe(`a database on ${engine}`, { concurrency: 2 }, () => {
    for (const { is, says, make, needs } of [...(engine === 'sqlite' ? SQLITE : POSTGRES), ...EITHER])
      it(`that is ${is} ends serve and migrate with one line`, {
        timeout: 120_000,
        skip: citusUrl !== undefined && needs !== undefined && `needs ${needs}`,
      }, async (t) => {
        const place = await makePlace(engine, { isEmpty: true });
        t.after(() => place.remove());
        const url = await make(place, t);
        const before = await tablesOf(place, engine);
        for (const command of ['serve', 'migrate']) {
          const env = { ...place.env, PORT: '0', ...(typeof url === 'string' && { DATABASE_URL: url }) };
          const { code, output, stderr } = await runCommand([command], env);
          assert.equal(code, 1, `${command}: ${output}`);
          assert.match(stderr, /^The database [^\n]+\.\n$/, command);
          assert.match(stderr, says);
          for (const password of [PASSWORD, new URL(place.databaseUrl ?? 'a://b').password])
            assert.ok(password === '' || !output.includes(password), `${command} shows the password`);
        }
        assert.deepEqual(await tablesOf(place, engine), before, 'it left something behind');
      });
  });

describe('DATABASE_URL that is no address', { concurrency: 2 }, () => {
  for (const url of [
    `postgres://u:${PASSWORD}%@127.0.0.1/x`,
    `postgres://u:${PASSWORD}@127.0.0.1:port/x`,
    `mysql://u:${PASSWORD}@127.0.0.1/x`,
    `u:${PASSWORD}@127.0.0.1/x`,
  ])
    it(`${url} ends serve and migrate with one line that does not show it`, async (t) => {
      const place = await makePlace('sqlite');
      t.after(() => place.remove());
      const env = { ...place.env, DATABASE_URL: url, SECRET_KEY: 'a secret key for tests only' };
      for (const command of ['serve', 'migrate']) {
        const { code, output, stderr } = await runCommand([command], env);
        assert.equal(code, 1);
        assert.match(stderr, /^DATABASE_URL must [^\n]+\.\n$/);
        assert.doesNotMatch(output, new RegExp(PASSWORD));
      }
    });
});

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

/** Past the service, and on PostgreSQL past what makes the database read-only. */
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

/** Null where there is nothing that could be asked. */
async function tablesOf(place: Place, engine: Engine): Promise<unknown> {
  const tables =
    engine === 'sqlite'
      ? "select name from sqlite_master where type = 'table' order by 1"
      : "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1";
  return await queryStored(place, tables).catch(() => null);
}
