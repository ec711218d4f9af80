/** Backups of a PostgreSQL under load, restored into another server on which a service then starts. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { assertCounted } from '../../helpers/counts.ts';
import { engines, type Place } from '../../helpers/engines.ts';
import { Load, type SentInstall, sendInstall } from '../../helpers/load.ts';
import { type PostgresServer, startPostgresServer } from '../../helpers/postgres-server.ts';
import { makePlayLink, type RunningServer, startServer } from '../../helpers/process.ts';
import { queryStored } from '../../helpers/stored.ts';

const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1', SECRET_KEY: 'a secret key for tests only' };
const [SOURCE, RESTORED] = ['throughline', 'throughline_restored'];

describe('a backup of a PostgreSQL in use', { skip: !engines.includes('postgres') }, () => {
  let folder: string;
  let postgres: PostgresServer;
  let place: Place;
  let server: RunningServer;
  let load: Load;
  let shortCode: string;
  /** Rows stored before the backups began; other acknowledged records are still in the journal. */
  let stored: string[];
  let installs: SentInstall[];
  let lacking: string | null;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-backup-'));
    // The user of the PostgreSQL process needs access to the restored files.
    chmodSync(folder, 0o755);
    postgres = await startPostgresServer();
    await onServer(postgres, `create database ${SOURCE}`);
    place = placeAt(postgres, SOURCE, 'data');
    server = await startServer(place, ENV);
    shortCode = await makePlayLink(server.url, KEY);
    load = new Load({ url: server.url, key: KEY, shortCodes: [shortCode], taps: 10, installs: 4 });
    await load.reaches(200, 20);
    stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => String(id));
    installs = [...load.answeredInstalls];
    await copyCluster(postgres, join(folder, 'cluster'));
    lacking = await lacksDump(postgres);
    if (lacking === null)
      run('pg_dump', '--format=custom', `--file=${join(folder, 'dump')}`, place.databaseUrl ?? '');
    const sent = load.tapsSent;
    await load.stop();
    assert.ok(load.tapsSent >= sent && load.clickIds.length > 200);
    await server.end('SIGTERM');
  });
  after(async () => {
    await load?.stop();
    await server?.end('SIGKILL');
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function placeAt({ url }: PostgresServer, database: string, dataDir: string): Place {
    const databaseUrl = url.replace(/postgres$/, database);
    const path = join(folder, dataDir);
    const env = { DATA_DIR: path, HOST: '127.0.0.1', LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl };
    return { env, dataDir: path, databaseUrl, remove: async () => undefined };
  }

  /** Starts a service on the restored database with a new data directory, and looks for the acknowledged records. */
  async function assertRestored(there: Place): Promise<void> {
    const restored = await startServer(there, ENV);
    try {
      const [install = assert.fail('no install')] = installs;
      const answer = await sendInstall({ url: restored.url, key: KEY }, install, '192.0.2.1');
      assert.deepEqual(answer, install.answer);
      const ids = new Set((await queryStored(there, 'select id from clicks')).map(({ id }) => id));
      assert.deepEqual(
        stored.filter((id) => !ids.has(id)),
        [],
      );
      await assertCounted(there);
      const tap = await fetch(`${restored.url}/l/${shortCode}`, { redirect: 'manual' });
      assert.ok(tap.status < 400, `a tap got ${tap.status}`);
    } finally {
      await restored.end('SIGTERM');
    }
  }

  it('from a copy of the cluster’s files (pg_backup_start) has the records stored before', async (t) => {
    const second = await startPostgresServer({ cluster: join(folder, 'cluster') });
    t.after(() => second.stop());
    await assertRestored(placeAt(second, SOURCE, 'data of the copy'));
  });

  it('from pg_dump has the records stored before', async (t) => {
    if (lacking !== null) return t.skip(lacking);
    await onServer(postgres, `create database ${RESTORED}`);
    const there = placeAt(postgres, RESTORED, 'data of the dump');
    run(
      'pg_restore',
      '--single-transaction',
      '--no-owner',
      `--dbname=${there.databaseUrl}`,
      join(folder, 'dump'),
    );
    await assertRestored(there);
  });
});

async function onServer({ url }: PostgresServer, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await client.query(statement).finally(() => client.end());
}

/** Like `pg_basebackup`: copies the files while they change, and the write-ahead log that completes them. */
async function copyCluster({ url }: PostgresServer, copy: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('show data_directory');
    const from = rows[0].data_directory as string;
    await client.query(`select pg_backup_start('a test', true)`);
    // Files that disappear during the copy are restored from the write-ahead log.
    spawnSync('cp', ['-a', from, copy]);
    const stopped = await client.query('select labelfile from pg_backup_stop(false)');
    rmSync(join(copy, 'pg_wal'), { recursive: true });
    run('cp', '-a', join(from, 'pg_wal'), join(copy, 'pg_wal'));
    rmSync(join(copy, 'postmaster.pid'), { force: true });
    const label = join(copy, 'backup_label');
    writeFileSync(label, stopped.rows[0].labelfile);
    const { uid, gid } = statSync(copy);
    chownSync(label, uid, gid);
  } finally {
    await client.end();
  }
}

/** The reason why `pg_dump` cannot run, or null. */
async function lacksDump(server: PostgresServer): Promise<string | null> {
  const { stdout, status } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const { rows } = await onServer(server, 'show server_version_num');
  const needed = Math.floor(Number(rows[0].server_version_num) / 10_000);
  if (status !== 0) return `needs pg_dump of version ${needed}`;
  const version = Number(/(\d+)/.exec(stdout)?.[1]);
  return version >= needed ? null : `pg_dump has version ${version}, the server ${needed}`;
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
