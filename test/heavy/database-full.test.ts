/** PostgreSQL's own disk is full: redirects go on, other calls get 503, and no acknowledged record is lost. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fill, makeRoom, mountDisk, noDisk, unmount } from '../helpers/disks.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { assertKept, PatientLoad } from '../helpers/patient-phones.ts';
import { type PostgresServer, startPostgresServer } from '../helpers/postgres-server.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const FULL_MS = 3_000;
const LINKS = 5;
const skip = (!engines.includes('postgres') && 'needs PostgreSQL') || noDisk;

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
    await waitFor('every link to be cached', () => load.taps.length > 50 * LINKS || undefined);
    fill(disk);
    fullMs = Date.now();
    await waitFor('a 503', async () =>
      load.answers.some(({ status }) => status === 503) ? true : undefined,
    );
    await sleep(FULL_MS);
    roomMs = Date.now();
    makeRoom(disk);
    const answersBefore = load.answers.length;
    await waitFor('calls to succeed again', () => load.answers.length > answersBefore + 20 || undefined);
    await load.stop();
    ended = await service.end('SIGTERM');
  });
  after(async () => {
    await service?.end('SIGKILL');
    await place?.remove();
    await postgres?.stop();
    if (disk !== '') unmount(disk);
  });

  it('redirects every tap of a known link, with a click ID', () => {
    const meanwhile = load.taps.filter(({ atMs }) => atMs > fullMs && atMs < roomMs);
    assert.ok(meanwhile.length > 20, 'too few taps');
    assert.deepEqual(
      load.taps.filter(({ status, clickId }) => status !== 302 || clickId === null),
      [],
    );
  });

  it('answers other calls with 503 and Retry-After, and no call with another error', () => {
    assert.ok(
      load.answers.some(({ status }) => status === 503),
      'no call was answered 503',
    );
    for (const { status, code, retryAfter, path } of load.answers) {
      if (status < 300) continue;
      assert.equal(`${path} ${status}`, `${path} 503`);
      assert.match(code ?? '', /^(database\.unavailable|clicks\.behind)$/);
      assert.match(retryAfter ?? '', /^[1-9]\d*$/);
    }
  });

  it('stores every acknowledged record once after space is freed, and leaves the journal empty', async () => {
    await assertKept(place, load);
    assert.deepEqual(ended, { code: 0, signal: null });
  });
});

/** Moves a new database to its own disk; PostgreSQL's write-ahead log stays. */
async function moveTo(disk: string, { databaseUrl }: Place, { url }: PostgresServer): Promise<void> {
  const ask = (statement: string) => queryStored({ databaseUrl: url, dataDir: '' }, statement);
  const [{ data_directory: home } = {}] = await ask('show data_directory');
  const { uid, gid } = statSync(String(home));
  chownSync(disk, uid, gid);
  chmodSync(disk, 0o700);
  await ask(`create tablespace small location '${disk}'`);
  await ask(`alter database ${basename(databaseUrl ?? '')} set tablespace small`);
}
