/** Clicks that are in a journal while their person is erased are stored without personal data later. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import {
  assertGone,
  completed,
  filesWith,
  KEYS_ENV,
  LIVE_KEY,
  type MarkedPerson,
  newAddress,
  newMarker,
  outlast,
  plantPerson,
  requestErasure,
  tapOn,
  textsOf,
  whereKept,
} from '../helpers/erasure-scene.ts';
import { lockDatabase } from '../helpers/lock-database.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored, type StoredRow } from '../helpers/stored.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { waitFor } from '../helpers/wait-for.ts';

for (const engine of engines)
  describe(`a person whose erasure on ${engine} is completed`, () => {
    let place: Place;
    let proxy: TcpProxy | undefined;
    let server: RunningServer;
    let shortCode = '';

    before(async () => {
      place = await makePlace(engine);
      if (place.databaseUrl !== null) proxy = await TcpProxy.open(place.databaseUrl);
      server = await startServer(place, settings());
      shortCode = await makePlayLink(server.url, LIVE_KEY);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await proxy?.cut();
      await place?.remove();
    });
    const settings = () => ({
      ...KEYS_ENV,
      ...(proxy !== undefined && { DATABASE_URL: proxy.through(place.databaseUrl ?? '') }),
    });

    it('by userId or ipAddress: is not stored from a journal applied later; clicks of other people are', async () => {
      const people = [await plantPerson(server, shortCode), await plantPerson(server, shortCode)] as const;
      const [byUser, byAddress] = people;
      const texts = [...(await textsOf(place, byUser)), ...(await textsOf(place, byAddress))];
      const unblockDatabase = await blockDatabase();
      const taps = [
        await tapAsBoth(server, shortCode, byUser),
        await tapAsBoth(server, shortCode, byAddress),
      ];
      await server.end('SIGKILL');
      await unblockDatabase();
      const clickIds = taps.flatMap(([own, otherClick]) => [...own, otherClick.id]);
      assert.deepEqual(await clicks(place, clickIds), []);
      const [journal, aside] = [join(place.dataDir, 'journal'), `${place.dataDir}-aside`];
      for (const { marker } of people) assert.notDeepEqual(filesWith(journal, [marker]), []);
      move(journal, aside);

      server = await startServer(place, settings());
      await outlast(place);
      const requestIds = [
        ...(await requestErasure(server, { userId: byUser.userId })),
        ...(await requestErasure(server, { ipAddress: byAddress.address })),
      ];
      await completed(server, requestIds);
      assert.deepEqual(await whereKept(place, texts), []);
      await server.end('SIGTERM');
      move(aside, journal);
      server = await startServer(place, settings());

      for (const [own, otherClick] of taps) await assertShells(place, own, otherClick);
      await assertGone(place, texts);
    });

    /** Breaks the connection to the database, or locks its file. @returns a function that ends the fault. */
    async function blockDatabase(): Promise<() => Promise<void>> {
      if (proxy !== undefined) {
        const cut = proxy;
        await cut.cut();
        return () => cut.restore();
      }
      const unlock = await lockDatabase(place.dataDir);
      return async () => unlock();
    }
  });

if (engines.includes('postgres'))
  describe('a person erased by one of two nodes on PostgreSQL', () => {
    let place: Place;
    let otherPlace: Place;
    let proxy: TcpProxy;
    let node: RunningServer;
    let other: RunningServer;
    let shortCode = '';

    before(async () => {
      place = await makePlace('postgres');
      // The other node has its own data directory.
      otherPlace = { ...(await makePlace('sqlite')), databaseUrl: place.databaseUrl };
      proxy = await TcpProxy.open(place.databaseUrl ?? '');
      node = await startServer(place, KEYS_ENV);
      other = await startOther();
      shortCode = await makePlayLink(node.url, LIVE_KEY);
    });
    after(async () => {
      await node?.end('SIGKILL');
      await other?.end('SIGKILL');
      await proxy?.cut();
      await otherPlace?.remove();
      await place?.remove();
    });
    const startOther = () =>
      startServer(place, {
        ...KEYS_ENV,
        DATA_DIR: otherPlace.dataDir,
        DATABASE_URL: proxy.through(place.databaseUrl ?? ''),
      });

    for (const how of ['was cut off from the database', 'was killed'])
      it(`is not stored from the journal of a node that ${how} and returns`, async () => {
        const person = await plantPerson(other, shortCode);
        const texts = await textsOf(place, person);
        await proxy.cut();
        const [own, otherClick] = await tapAsBoth(other, shortCode, person);
        if (how === 'was killed') await other.end('SIGKILL');
        // Old enough that the erasure does not wait for this journal.
        await queryStored(place, `update journals set seen_at = '2026-01-01T00:00:00.000Z'`);
        await completed(node, await requestErasure(node, { userId: person.userId }));
        assert.deepEqual(await clicks(place, [...own, otherClick.id]), []);

        await proxy.restore();
        if (how === 'was killed') other = await startOther();
        await assertShells(place, own, otherClick);
        await assertGone(place, texts);
        await assertGone(otherPlace, texts);
      });
  });

interface OtherClick {
  readonly id: string;
  readonly marker: string;
}

/** Three taps of the person and one of another person. */
async function tapAsBoth(
  server: RunningServer,
  shortCode: string,
  { address, marker }: MarkedPerson,
): Promise<readonly [string[], OtherClick]> {
  const phone = (mark: string) => ({
    'user-agent': `Mozilla/5.0 (Linux; Android 10; ${mark}) Mobile`,
    'sec-ch-ua-model': `"${mark}"`,
    'sec-ch-ua-platform-version': `"14 ${mark}"`,
  });
  const own: string[] = [];
  for (let taps = 0; taps < 3; taps++) own.push(await tapOn({ server, address }, shortCode, phone(marker)));
  const otherMarker = newMarker();
  const caller = { server, address: newAddress() };
  return [own, { id: await tapOn(caller, shortCode, phone(otherMarker)), marker: otherMarker }];
}

async function clicks(place: Place, ids: readonly string[]): Promise<StoredRow[]> {
  const among = ids.map((id) => `'${id}'`).join();
  return await queryStored(place, `select * from clicks where id in (${among}) order by id`);
}

/** Waits until the clicks are stored: the person's without personal data, the other person's complete. */
async function assertShells(place: Place, own: readonly string[], otherClick: OtherClick): Promise<void> {
  const rows = await waitFor('the journal to be applied', async () => {
    const stored = await clicks(place, [...own, otherClick.id]);
    return stored.length === own.length + 1 ? stored : undefined;
  });
  for (const row of rows.filter(({ id }) => id !== otherClick.id))
    for (const column of ['ip_hash', 'user_agent', 'accept_language', 'device_model', 'fingerprint'])
      assert.equal(row[column], null, column);
  const [whole] = rows.filter(({ id }) => id === otherClick.id);
  for (const column of ['user_agent', 'device_model', 'fingerprint'])
    assert.match(JSON.stringify(whole?.[column]), new RegExp(otherClick.marker), column);
  assert.notEqual(whole?.ip_hash, null);
}

function move(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  rmSync(from, { recursive: true });
}
