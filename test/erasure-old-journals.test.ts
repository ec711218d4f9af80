/** Clicks that wait in a journal while their person is erased are stored without the person, whenever the journal turns up. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from './engines.ts';
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
} from './erasure-scene.ts';
import { makePlayLink, type RunningServer, startServer } from './process.ts';
import { queryStored, type StoredRow } from './stored.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { waitFor } from './wait-for.ts';

const WAYS = ['userId', 'ipAddress'] as const;

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

    for (const way of WAYS)
      it(`by ${way}: is not stored by a journal that turns up, where others’ clicks are`, async () => {
        const person = await plantPerson(server, shortCode);
        const texts = await textsOf(place, person);
        const comeBack = await goAway();
        const [own, stranger] = await tapBoth(server, shortCode, person);
        await server.end('SIGKILL');
        await comeBack();
        assert.deepEqual(await clicks(place, [...own, stranger.id]), []);
        const [journal, aside] = [join(place.dataDir, 'journal'), `${place.dataDir}-aside`];
        assert.notDeepEqual(filesWith(journal, [person.marker]), []);
        move(journal, aside);

        server = await startServer(place, settings());
        const who = way === 'userId' ? { userId: person.userId } : { ipAddress: person.address };
        await outlast(place);
        await completed(server, await requestErasure(server, who));
        assert.deepEqual(await whereKept(place, texts), []);
        await server.end('SIGTERM');
        move(aside, journal);
        server = await startServer(place, settings());

        await assertShells(place, own, stranger);
        await assertGone(place, texts);
      });

    /** The database is away for the server: its network is cut, or somebody holds the file. Gives what ends that. */
    async function goAway(): Promise<() => Promise<void>> {
      if (proxy !== undefined) {
        const cut = proxy;
        await cut.cut();
        return () => cut.restore();
      }
      const holder = new DatabaseSync(join(place.dataDir, 'throughline.db'));
      holder.exec('begin immediate');
      return async () => holder.close();
    }
  });

if (engines.includes('postgres'))
  describe('a person whose erasure one node on PostgreSQL completes', () => {
    let place: Place;
    let otherPlace: Place;
    let proxy: TcpProxy;
    let node: RunningServer;
    let other: RunningServer;
    let shortCode = '';

    before(async () => {
      place = await makePlace('postgres');
      // The other node has a data directory of its own.
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
      it(`is not stored by a node that ${how} with clicks and comes back`, async () => {
        const person = await plantPerson(other, shortCode);
        const texts = await textsOf(place, person);
        await proxy.cut();
        const [own, stranger] = await tapBoth(other, shortCode, person);
        if (how === 'was killed') await other.end('SIGKILL');
        // As if that were long ago: nobody waits for it any more.
        await queryStored(place, `update journals set seen_at = '2026-01-01T00:00:00.000Z'`);
        await completed(node, await requestErasure(node, { userId: person.userId }));
        assert.deepEqual(await clicks(place, [...own, stranger.id]), []);

        await proxy.restore();
        if (how === 'was killed') other = await startOther();
        await assertShells(place, own, stranger);
        await assertGone(place, texts);
        await assertGone(otherPlace, texts);
      });
  });

interface Stranger {
  readonly id: string;
  readonly marker: string;
}

/** Taps of the person and one of a stranger; gives the clicks' IDs. */
async function tapBoth(
  server: RunningServer,
  shortCode: string,
  { address, marker }: MarkedPerson,
): Promise<readonly [string[], Stranger]> {
  const phone = (mark: string) => ({
    'user-agent': `Mozilla/5.0 (Linux; Android 10; ${mark}) Mobile`,
    'sec-ch-ua-model': `"${mark}"`,
    'sec-ch-ua-platform-version': `"14 ${mark}"`,
  });
  const own: string[] = [];
  for (let taps = 0; taps < 3; taps++) own.push(await tapOn({ server, address }, shortCode, phone(marker)));
  const strangersMarker = newMarker();
  const caller = { server, address: newAddress() };
  return [own, { id: await tapOn(caller, shortCode, phone(strangersMarker)), marker: strangersMarker }];
}

async function clicks(place: Place, ids: readonly string[]): Promise<StoredRow[]> {
  const among = ids.map((id) => `'${id}'`).join();
  return await queryStored(place, `select * from clicks where id in (${among}) order by id`);
}

/** Waits until the clicks are stored: the person's without anything of the person, the stranger's whole. */
async function assertShells(place: Place, own: readonly string[], stranger: Stranger): Promise<void> {
  const rows = await waitFor('the journal is applied', async () => {
    const stored = await clicks(place, [...own, stranger.id]);
    return stored.length === own.length + 1 ? stored : undefined;
  });
  for (const row of rows.filter(({ id }) => id !== stranger.id))
    for (const column of ['ip_hash', 'user_agent', 'accept_language', 'device_model', 'fingerprint'])
      assert.equal(row[column], null, column);
  const [whole] = rows.filter(({ id }) => id === stranger.id);
  for (const column of ['user_agent', 'device_model', 'fingerprint'])
    assert.match(JSON.stringify(whole?.[column]), new RegExp(stranger.marker), column);
  assert.notEqual(whole?.ip_hash, null);
}

function move(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  rmSync(from, { recursive: true });
}
