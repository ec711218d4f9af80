/** PostgreSQL's own disk is full for a while: visitors notice nothing, callers come back, and nothing is lost. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, makeRoom, mountDisk, noDisk, unmount } from './disks.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { assertKept, PatientLoad } from './patient-phones.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { makePlayLink, type RunningServer, startServer } from './process.ts';
import { queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const FULL_MS = 6_000;
const BESIDE_MS = 2_000;
const LINKS = 5;
const skip = (!engines.includes('postgres') && 'is PostgreSQL’s alone') || noDisk;

describe('PostgreSQL whose disk is full for a while', { skip }, () => {
  let disk = '';
  let postgres: PostgresServer | undefined;
  let place: Place;
  let service: RunningServer | undefined;
  let load: PatientLoad;
  let fullMs = 0;
  let roomMs = 0;
  let ended: unknown;

  before(async () => {
    disk = mountDisk();
    postgres = await startPostgresServer();
    place = await makePlace('postgres', { server: postgres.url });
    await moveTo(disk, place, postgres);
    service = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' });
    const { url } = service;
    const shortCodes = await Promise.all(Array.from({ length: LINKS }, () => makePlayLink(url, KEY)));
    load = new PatientLoad({ url, key: KEY, shortCodes, tappers: 4, phones: 4, events: 40 });
    await sleep(BESIDE_MS);
    await waitFor('every link was tapped', async () => (load.taps.length > 10 * LINKS ? true : undefined));
    fill(disk);
    fullMs = Date.now();
    await waitFor('somebody is told to come back', async () =>
      load.answers.some(({ status }) => status === 503) ? true : undefined,
    );
    await sleep(FULL_MS);
    roomMs = Date.now();
    makeRoom(disk);
    await sleep(BESIDE_MS);
    await load.stop();
    ended = await service.end('SIGTERM');
  });
  after(async () => {
    await service?.end('SIGKILL');
    await place?.remove();
    await postgres?.stop();
    if (disk !== '') unmount(disk);
  });

  it('redirects every visitor of a known link, with a click ID', () => {
    const meanwhile = load.taps.filter(({ atMs }) => atMs > fullMs && atMs < roomMs);
    assert.ok(meanwhile.length > 50, 'hardly anybody tapped');
    assert.deepEqual(
      load.taps.filter(({ status, clickId }) => status !== 302 || clickId === null),
      [],
    );
  });

  it('tells callers to come back, and nobody that something went wrong', () => {
    assert.ok(
      load.answers.some(({ status }) => status === 503),
      'nobody was told to come back',
    );
    for (const { status, code, retryAfter, path } of load.answers) {
      if (status < 300) continue;
      assert.equal(`${path} ${status}`, `${path} 503`);
      assert.match(code ?? '', /^(database\.unavailable|clicks\.behind)$/);
      assert.match(retryAfter ?? '', /^[1-9]\d*$/);
    }
  });

  it('has everything that was acknowledged once there is room, once, and nothing in the journal', async () => {
    await assertKept(place, load);
    assert.deepEqual(ended, { code: 0, signal: null });
  });
});

/** Has a database that nobody uses yet on a disk of its own; PostgreSQL's log of writes stays where it is. */
async function moveTo(disk: string, { databaseUrl }: Place, { url }: PostgresServer): Promise<void> {
  const ask = (statement: string) => queryStored({ databaseUrl: url, dataDir: '' }, statement);
  const [{ data_directory: home } = {}] = await ask('show data_directory');
  const { uid, gid } = statSync(String(home));
  chownSync(disk, uid, gid);
  chmodSync(disk, 0o700);
  await ask(`create tablespace small location '${disk}'`);
  await ask(`alter database ${basename(databaseUrl ?? '')} set tablespace small`);
}
