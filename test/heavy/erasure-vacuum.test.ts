/** The real process rewrites its SQLite file after an erasure: under load, and while the test kills it. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PIXEL } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import {
  ask,
  assertGone,
  completed,
  KEYS_ENV,
  LIVE_KEY,
  newAddress,
  plantPerson,
  requestErasure,
  textsOf,
} from '../helpers/erasure-scene.ts';
import { Load } from '../helpers/load.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Large enough that a rewrite takes some tenths of a second. */
const FILLER_ROWS = 30_000;
const FILLER_BYTES = 2_000;
/** The write-ahead log exceeds this size only during a rewrite. */
const REWRITING_BYTES = 16 * 2 ** 20;
const KILLS = 2;
const MAX_TRIES = 20;
const MAX_DELAY_MS = 150;

describe('a SQLite file that is rewritten after an erasure', { skip: !engines.includes('sqlite') }, () => {
  let place: Place;
  let server: RunningServer;
  let shortCode = '';

  before(async () => {
    place = await makePlace('sqlite');
    fill(place);
    server = await startServer(place, KEYS_ENV);
    shortCode = await makePlayLink(server.url, LIVE_KEY);
  });
  after(async () => {
    await server?.end('SIGKILL');
    await place?.remove();
  });

  it('taps are answered meanwhile, installs wait and are stored, and none of the person’s data remains', async (t) => {
    const load = newLoad(t);
    await load.reaches(20, 4);
    let tapsMeanwhile = 0;
    for (let turn = 0; turn < MAX_TRIES && tapsMeanwhile === 0; turn++) {
      const person = await plantPerson(server, shortCode);
      const texts = await textsOf(place, person);
      let isCompleted = false;
      const tapping = (async () => {
        while (!isCompleted) {
          const wasRewriting = isRewriting(place);
          const { status } = await ask({ server, address: newAddress() }, `/l/${shortCode}`, {
            headers: { 'user-agent': PIXEL },
          });
          assert.equal(status, 302);
          if (wasRewriting && isRewriting(place)) tapsMeanwhile += 1;
        }
      })();
      const erasing = requestErasure(server, { userId: person.userId })
        .then((ids) => completed(server, ids))
        .finally(() => {
          isCompleted = true;
        });
      await Promise.all([erasing, tapping]);
      await assertGone(place, texts, 'filler');
    }
    assert.ok(tapsMeanwhile > 0);
    await load.stop();
    await assertStored(load);
  });

  it('that is killed meanwhile loses no record, and completes the erasure after its next start', async (t) => {
    let kills = 0;
    for (let turn = 0; turn < MAX_TRIES && kills < KILLS; turn++) {
      const person = await plantPerson(server, shortCode);
      const texts = await textsOf(place, person);
      const load = newLoad(t);
      await load.reaches(20, 4);
      const requestIds = await requestErasure(server, { userId: person.userId });
      await waitFor('the rewrite to begin', () => (isRewriting(place) ? true : undefined), { everyMs: 1 });
      await sleep(Math.random() * MAX_DELAY_MS);
      if (isRewriting(place)) kills += 1;
      await server.end('SIGKILL');
      await load.stop();
      server = await startServer(place, KEYS_ENV);
      await completed(server, requestIds);
      await assertGone(place, texts, 'filler');
      await assertStored(load);
      assert.deepEqual(await faults(place), ['ok']);
      const [row] = await queryStored(place, 'select count(*) as n from filler');
      assert.equal(row?.n, FILLER_ROWS);
    }
    assert.equal(kills, KILLS);
  });

  function newLoad(t: TestContext): Load {
    const load = new Load({
      ...{ url: server.url, shortCodes: [shortCode], key: LIVE_KEY },
      ...{ taps: 4, installs: 2, outlivesBreaks: true },
    });
    t.after(() => load.stop());
    return load;
  }

  /** Checks that every acknowledged record is stored. */
  async function assertStored(load: Load): Promise<void> {
    const stored = async (table: string) =>
      new Set((await queryStored(place, `select id from ${table}`)).map(({ id }) => id));
    const installs = await stored('installs');
    for (const { installId } of load.answeredInstalls) assert.ok(installs.has(installId));
    await waitFor('every click to be stored', async () => {
      const clicks = await stored('clicks');
      return load.clickIds.every((id) => clicks.has(id)) ? true : undefined;
    });
  }
});

function fill({ dataDir }: Place): void {
  const db = new DatabaseSync(join(dataDir, 'throughline.db'));
  db.exec(`create table filler (text text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${FILLER_ROWS})
    insert into filler select hex(randomblob(${FILLER_BYTES / 2})) from n`);
  db.close();
}

function isRewriting({ dataDir }: Place): boolean {
  const wal = join(dataDir, 'throughline.db-wal');
  return existsSync(wal) && statSync(wal).size > REWRITING_BYTES;
}

async function faults(place: Place) {
  const rows = await queryStored(place, 'pragma integrity_check');
  return rows.map(({ integrity_check: text }) => text);
}
