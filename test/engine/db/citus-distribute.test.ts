/** `throughline db distribute` distributes a database over a Citus cluster and loses no record. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { distribute } from '../../../src/commands/db/distribute.ts';
import { StartError } from '../../../src/errors.ts';
import { DISTRIBUTED_TABLES } from '../../../src/schema/placements.ts';
import { citusUrl, makeCitusDatabase, WITHOUT_CITUS } from '../../helpers/citus.ts';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { freePort } from '../../helpers/free-port.ts';
import { makePlayLink, runCommand, startServer } from '../../helpers/process.ts';
import { queryStored } from '../../helpers/stored.ts';
import { callServer } from '../../helpers/webhook-scene.ts';
import { IPHONE_FINGERPRINT, PIXEL } from '../../helpers/world.ts';

const KEY = 'svc_live_distributed_0123456789';
const WITHOUT_POSTGRES =
  (!engines.includes('postgres') || citusUrl !== undefined) && 'needs a PostgreSQL without Citus';
const DISTRIBUTE = ['db', 'distribute', '--shards', '4'];

describe('distributing over a Citus cluster', { skip: WITHOUT_CITUS }, () => {
  let place: Place;
  before(async () => {
    place = await makeUndistributedPlace();
  });
  after(() => place?.remove());

  it('keeps every record of a filled database, spread over the nodes, and gives the same responses', async () => {
    const first = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY });
    const code = await makePlayLink(first.url, KEY);
    const install = {
      fingerprint: IPHONE_FINGERPRINT,
      installId: randomUUID(),
      clickId: await tap(first.url, code),
    };
    const answer = await callServer(first, KEY, ['POST', '/v1/sdk/install', install]);
    assert.equal(answer.method, 'CLICK_ID');
    const event = { installId: install.installId, eventName: 'level', eventId: randomUUID() };
    await callServer(first, KEY, ['POST', '/v1/sdk/event', event]);
    const unclaimed = await tap(first.url, code);

    const whileRunning = await runCommand(DISTRIBUTE, place.env);
    assert.equal(whileRunning.code, 1);
    assert.match(whileRunning.stderr, /^A service is running .* run this again\.\n$/);
    await first.end('SIGTERM');

    const stored = await countAll(place);
    const { code: exitCode, stdout } = await runCommand(DISTRIBUTE, place.env);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^Distributed over 2 nodes: /);
    assert.deepEqual(await countAll(place), stored);
    assert.ok(Number(stored.clicks) > 0 && Number(stored.installs) > 0 && Number(stored.events) > 0);
    const [{ nodes, left } = {}] = await queryStored(
      place,
      `select (select count(distinct nodeport)::int from citus_shards where table_name = 'clicks'::regclass) as nodes,
        pg_relation_size('installs') + pg_relation_size('short_codes') as left`,
    );
    assert.deepEqual([nodes, Number(left)], [2, 0]);

    const second = await startServer(place);
    assert.deepEqual(await callServer(second, KEY, ['POST', '/v1/sdk/install', install]), answer);
    const { totals } = await callServer(second, KEY, ['GET', `/v1/links/${code}/stats`]);
    assert.deepEqual([totals.installs, totals.events], [1, 1]);
    const late = { fingerprint: IPHONE_FINGERPRINT, clickId: unclaimed };
    assert.equal((await callServer(second, KEY, ['POST', '/v1/sdk/install', late])).method, 'CLICK_ID');
    await callServer(second, KEY, ['POST', '/v1/sdk/event', event]);
    await second.end('SIGTERM');
    assert.equal((await countAll(place)).events, stored.events);
  });

  it('changes nothing when it is run again', async () => {
    const stored = await countAll(place);
    const { code, stdout } = await runCommand(DISTRIBUTE, place.env);
    assert.equal(code, 0);
    assert.match(stdout, /^Nothing to do: /);
    assert.deepEqual(await countAll(place), stored);
  });

  it('refuses to start a service after an interrupted run until the command is run again', async (t) => {
    const cut = await makeUndistributedPlace();
    t.after(() => cut.remove());
    assert.equal((await runCommand(['migrate'], cut.env)).code, 0);
    await queryStored(cut, `select create_distributed_table('links', 'app_id', shard_count => 4)`);

    const refused = await runCommand(['serve'], { ...cut.env, PORT: '0' });
    assert.equal(refused.code, 78);
    assert.match(refused.stderr, /^Some tables of the database .*installs.* throughline db distribute\.\n$/);
    const again = await runCommand(DISTRIBUTE, cut.env);
    assert.equal(again.code, 0, again.output);
    const served = await startServer(cut);
    assert.deepEqual(await served.end('SIGTERM'), { code: 0, signal: null });
  });

  it('names a table that is distributed by another column, and the statement that corrects it', async (t) => {
    const other = await makeUndistributedPlace();
    t.after(() => other.remove());
    assert.equal((await runCommand(['migrate'], other.env)).code, 0);
    await queryStored(other, `select create_distributed_table('installs', 'id', shard_count => 4)`);
    const { code, stderr } = await runCommand(DISTRIBUTE, other.env);
    assert.equal(code, 1);
    assert.match(stderr, /installs is distributed by id, not by app_id\. .*undistribute_table\('installs'\)/);
  });
});

describe('distributing without a Citus cluster', () => {
  it('needs PostgreSQL', async () => {
    const { code, stderr } = await runCommand(DISTRIBUTE, { DATA_DIR: '/nowhere' });
    assert.equal(code, 1);
    assert.match(stderr, /^DATABASE_URL is not set: .*\.\n$/);
  });

  it('reports an unreachable database in one line', async () => {
    const url = `postgres://u:hidden-word@127.0.0.1:${await freePort()}/x`;
    const env = { DATA_DIR: '/nowhere', DATABASE_URL: url, SECRET_KEY: 'a secret key for tests only' };
    const { code, output, stderr } = await runCommand(DISTRIBUTE, env);
    assert.equal(code, 1);
    assert.match(stderr, /^The database of DATABASE_URL cannot be used: connection refused by [^\n]+\.\n$/);
    assert.doesNotMatch(output, /hidden-word/);
  });

  it('needs the Citus extension, and creates no table without it', {
    skip: WITHOUT_POSTGRES,
  }, async (t) => {
    const place = await makePlace('postgres', { isEmpty: true });
    t.after(() => place.remove());
    const { code, stderr } = await runCommand(DISTRIBUTE, place.env);
    assert.equal(code, 1);
    assert.match(stderr, /^The database of DATABASE_URL has no Citus\. .*create extension citus\.\n$/);
    assert.deepEqual(await queryStored(place, `select 1 from pg_class where relname = 'clicks'`), []);
  });

  it('names an argument that it does not accept', async () => {
    for (const [args, fault] of [
      [['--shards', '0'], /from 1 to 1024/],
      [['--shards', 'many'], /from 1 to 1024/],
      [['--nodes'], /Unknown option/],
      [['now'], /Unexpected argument/],
    ] as const)
      await assert.rejects(distribute(args), (error: Error) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, fault);
        assert.match(error.message, /Usage: throughline db distribute/);
        return true;
      });
  });
});

/** A database with Citus and its nodes, not distributed. */
async function makeUndistributedPlace(): Promise<Place> {
  const database = await makeCitusDatabase(citusUrl ?? '');
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  return {
    env: {
      ...{ DATA_DIR: dataDir, HOST: '127.0.0.1', LOG_LEVEL: 'silent' },
      ...{ DATABASE_URL: database.url, SECRET_KEY: 'a secret key for tests only' },
    },
    dataDir,
    databaseUrl: database.url,
    async remove() {
      rmSync(dataDir, { recursive: true, force: true });
      await database.remove();
    },
  };
}

async function countAll(place: Place): Promise<Record<string, unknown>> {
  const counts = DISTRIBUTED_TABLES.map(({ table }) => `(select count(*) from ${table}) as ${table}`);
  const [row = {}] = await queryStored(place, `select ${counts.join(', ')}`);
  return row;
}

async function tap(url: string, code: string): Promise<string> {
  const answer = await fetch(`${url}/l/${code}`, { redirect: 'manual', headers: { 'user-agent': PIXEL } });
  const referrer = new URL(answer.headers.get('location') ?? '').searchParams.get('referrer') ?? '';
  return new URLSearchParams(referrer).get('svc_click_id') ?? '';
}
