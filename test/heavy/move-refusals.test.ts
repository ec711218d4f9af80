/** Refusals of `db move`: one line with the remedy, and nothing changed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrations } from '../../migrations/index.ts';
import { checkTables } from '../../src/commands/move/check-tables.ts';
import { copyTables } from '../../src/commands/move/copy-tables.ts';
import { listTables } from '../../src/commands/move/list-tables.ts';
import { beginMove, endMove } from '../../src/commands/move/take-target.ts';
import { readConfig } from '../../src/config.ts';
import { openStore, type Store } from '../../src/db/index.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { engines, makePlace } from '../helpers/engines.ts';
import { callMove, leaveInJournal, type MoveScene, makeMoveScene } from '../helpers/move-scene.ts';
import { callCommand, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const LONGER_THAN_A_REQUEST_MS = 13_000;
const OTHER_APP = `insert into apps (id, name, android_cert_fingerprints, landing_page, clipboard_token,
    referrer_window_hours, click_id_window_hours, fingerprint_window_hours, fingerprint_ios, fingerprint_android,
    links_revision, created_at, updated_at)
  values (gen_random_uuid(), 'Other', '[]', 'auto', 0, 1, 1, 1, 1, 1, 0, now(), now())`;

describe('a move to PostgreSQL', { skip: !engines.includes('postgres') }, () => {
  let scene: MoveScene;
  before(async () => {
    scene = await makeMoveScene();
    const made = await callCommand(['apps', 'create', 'name=Shoe shop'], scene.source.env);
    assert.equal(made.code, 0, made.stderr);
  });
  after(() => scene?.remove());

  async function refuses(pattern: RegExp, env: Record<string, string> = {}): Promise<void> {
    const { code, stdout, stderr } = await callMove(scene, env);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^[^\n]+\n$/);
    assert.match(stderr, pattern);
    assert.deepEqual(await queryStored(scene.target, `select 1 from pg_class where relname = 'clicks'`), []);
  }

  it('requires DATABASE_URL and a SQLite file', async (t) => {
    await refuses(/^Set DATABASE_URL to the empty PostgreSQL database/, { DATABASE_URL: '' });
    const empty = mkdtempSync(join(tmpdir(), 'throughline-test-'));
    t.after(() => rmSync(empty, { recursive: true }));
    await refuses(/^There is no SQLite file in .*; set DATA_DIR/, { DATA_DIR: empty });
  });

  it('requires the secret key of the data, and never shows it', async () => {
    await refuses(/^SECRET_KEY is not the secret .*: set it to the content of .*secret-key\.\n$/, {
      SECRET_KEY: 'another secret of the right length',
    });
  });

  it('fails while the service is running', async (t) => {
    const server = await startServer(scene.source);
    t.after(() => server.end('SIGKILL'));
    await refuses(/ is in use, by the service or by another move\. Stop it first/);
  });

  it('reports an unreachable PostgreSQL', async () => {
    await refuses(
      /^The database of DATABASE_URL cannot be used: connection refused by 127\.0\.0\.1:1\. Start PostgreSQL there/,
      {
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      },
    );
  });

  it('refuses a database that is not empty', async (t) => {
    const other = await makePlace('postgres');
    t.after(() => other.remove());
    assert.equal((await callCommand(['apps', 'create', 'name=Other'], other.env)).code, 0);
    await refuses(/^The database of DATABASE_URL already has data \(table apps\)/, {
      DATABASE_URL: other.databaseUrl ?? '',
    });
    assert.deepEqual(await queryStored(other, 'select name from apps'), [{ name: 'Other' }]);
  });

  it('names the SQLite file if it is damaged', async () => {
    damageTable(join(scene.source.dataDir, 'throughline.db'), 'apps');
    const { code, stderr } = await callMove(scene);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^The database .*throughline\.db cannot be used: the file is damaged \(.*\)\. Restore a backup\.$/m,
    );
  });
});

/** Overwrites the first page of a table. */
function damageTable(path: string, table: string): void {
  const db = new DatabaseSync(path);
  const { page_size: pageBytes } = db.prepare('pragma page_size').get() as { page_size: number };
  const found = db.prepare('select rootpage from sqlite_schema where name = ?').get(table);
  const { rootpage } = found as { rootpage: number };
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (rootpage - 1) * pageBytes);
  closeSync(file);
}

describe('the check of a move', { skip: !engines.includes('postgres') }, () => {
  let scene: MoveScene;
  let source: Store;
  let target: Store;
  before(async () => {
    scene = await makeMoveScene();
    for (const name of ['First', 'Second'])
      await callCommand(['apps', 'create', `name=${name}`], scene.source.env);
    const open = (env: Record<string, string>) =>
      openStore(readConfig(env), migrations, createLog('silent'), () => undefined);
    source = await open(scene.source.env);
    target = await open(scene.env());
    await target.migrate();
    await copyTables(source, target, {
      tables: await listTables({ schema: source, source }),
      onRows: () => undefined,
    });
  });
  after(async () => {
    await source?.close();
    await target?.close();
    await scene?.remove();
  });

  const check = async () =>
    await checkTables(source, target, {
      tables: await listTables({ schema: source, source }),
      names: ['the SQLite file', 'PostgreSQL'],
      onRows: () => undefined,
    });

  it('passes if all values are equal', async () => {
    const apps = (await check()).find(({ name }) => name === 'apps');
    assert.equal(apps?.rows, 2);
  });

  for (const [what, statement] of [
    ['a different value', `update apps set name = 'Else' where name = 'Second'`],
    ['a time one millisecond off', `update apps set created_at = created_at + interval '1 ms'`],
    ['equivalent JSON with different text', `update apps set android_cert_fingerprints = '[ ]'`],
    ['an empty string instead of null', `update apps set landing_page = '', url_scheme = ''`],
    ['a missing row', `delete from apps where name = 'Second'`],
    [
      'an additional row',
      `insert into apps select (gen_random_uuid()) as id, 'x', a.ios_bundle_id, a.ios_team_id,
      a.ios_app_store_id, a.android_package, a.android_cert_fingerprints, a.url_scheme, a.short_link_host,
      a.ios_destination, a.android_destination, a.fallback_url, a.landing_page, a.clipboard_token,
      a.referrer_window_hours, a.click_id_window_hours, a.fingerprint_window_hours, a.fingerprint_ios,
      a.fingerprint_android, a.links_revision, a.created_at, a.updated_at from apps a limit 1`,
    ],
  ] as const)
    it(`fails for ${what}, and names the table and the row`, async () => {
      const { target: client } = scene;
      await queryStored(client, 'create table apps_before as select * from apps');
      await queryStored(client, statement);
      try {
        await assert.rejects(
          check(),
          /^StartError: The check failed: table apps has 2 rows .* id = [0-9a-f-]{36}\./,
        );
      } finally {
        await queryStored(client, 'delete from apps');
        await queryStored(client, 'insert into apps select * from apps_before');
        await queryStored(client, 'drop table apps_before');
      }
      await check();
    });
});

describe('a target in use by other processes', { skip: !engines.includes('postgres') }, () => {
  let scene: MoveScene;
  let source: Store;
  let target: Store;
  before(async () => {
    scene = await makeMoveScene();
    assert.equal((await callCommand(['apps', 'create', 'name=Shoe shop'], scene.source.env)).code, 0);
    const [app] = await queryStored(scene.source, 'select id from apps');
    await leaveInJournal(scene, String(app?.id));
    assert.equal((await callCommand(['apps', 'list'], scene.source.env)).code, 0);
    const open = (env: Record<string, string>) =>
      openStore(readConfig(env), migrations, createLog('silent'), () => undefined);
    source = await open(scene.source.env);
    target = await open(scene.env());
    await target.migrate();
  });
  after(async () => {
    await source?.close();
    await target?.close();
    await scene?.remove();
  });
  const begin = async (isFirst: boolean) => {
    const now = isoTime(Date.now());
    await beginMove(target, {
      moveId: randomUUID(),
      now,
      tables: await listTables({ schema: source, source }),
      isFirst,
    });
  };

  it('keeps rows stored after the check', async (t) => {
    await queryStored(scene.target, OTHER_APP);
    t.after(() => queryStored(scene.target, 'delete from apps'));
    await assert.rejects(begin(true), /already has data \(table apps\)/);
    assert.deepEqual(await queryStored(scene.target, 'select name from apps'), [{ name: 'Other' }]);
    assert.deepEqual(await queryStored(scene.target, 'select 1 from moves'), []);
  });

  it('delays the move beyond the request timeout while another session locks a table', async (t) => {
    const other = new pg.Client({ connectionString: scene.target.databaseUrl ?? '' });
    await other.connect();
    t.after(() => other.end());
    await other.query('begin; lock table clicks in access share mode');
    const begun = begin(true);
    await sleep(LONGER_THAN_A_REQUEST_MS);
    await other.query('rollback');
    await begun;
    assert.equal((await queryStored(scene.target, 'select 1 from moves')).length, 1);
  });

  it('stores every click in the partition of its day, even if creating that has to be retried', async () => {
    let asked = 0;
    const held: Store = {
      ...target,
      makePartitions: async (atMs) => (++asked <= 2 ? ['clicks_held'] : await target.makePartitions(atMs)),
    };
    await begin(false);
    await copyTables(source, held, {
      tables: await listTables({ schema: source, source }),
      onRows: () => undefined,
    });
    assert.equal((await queryStored(scene.target, 'select id from clicks')).length, 1);
    assert.deepEqual(await queryStored(scene.target, 'select id from clicks_other_days'), []);
  });

  it('is not released by a move that a later move replaced', async () => {
    await begin(false);
    await assert.rejects(endMove(target, { moveId: randomUUID(), now: isoTime(Date.now()) }), /has started/);
    assert.equal((await queryStored(scene.target, 'select 1 from moves where ended_at is null')).length, 1);
  });
});

describe('a start on an empty PostgreSQL with a SQLite file that has not been moved', {
  skip: !engines.includes('postgres'),
}, () => {
  it('fails before it stores any row, and the file can still be moved', async (t) => {
    const scene = await makeMoveScene();
    t.after(() => scene.remove());
    assert.equal((await callCommand(['apps', 'create', 'name=Shoe shop'], scene.source.env)).code, 0);
    const [app] = await queryStored(scene.source, 'select id from apps');
    const clickId = await leaveInJournal(scene, String(app?.id));
    for (const [words, env] of [
      [['serve'], { PORT: '0' }],
      [['serve'], { PORT: '0', REUSE_PORT: '1' }],
      [['apps', 'create', 'name=Hat shop'], {}],
      // Like a restored backup, on which no process has taken the lock yet.
      [['apps', 'create', 'name=Cap shop'], {}],
    ] as const) {
      if (words.at(-1) === 'name=Cap shop') rmSync(join(scene.source.dataDir, 'lock.db'));
      const { code, stderr } = await callCommand(words, { ...scene.env(), ...env });
      assert.equal(code, words[0] === 'serve' ? 78 : 1);
      assert.match(
        stderr,
        /^The database of DATABASE_URL is new, and the data is in .*throughline\.db\. Move it there[^\n]+\n$/,
      );
      for (const table of ['clicks', 'apps'])
        assert.deepEqual(await queryStored(scene.target, `select * from ${table}`), []);
    }
    // Tables in other schemas do not count.
    await queryStored(scene.target, 'create schema analytics');
    for (const table of ['events', 'moves'])
      await queryStored(scene.target, `create table analytics.${table} (id int)`);
    const moved = await callMove(scene);
    assert.equal(moved.code, 0, moved.stderr);
    assert.deepEqual(await queryStored(scene.target, 'select name from apps'), [{ name: 'Shoe shop' }]);
    assert.deepEqual(await queryStored(scene.target, 'select id from clicks'), [{ id: clickId }]);
  });
});
