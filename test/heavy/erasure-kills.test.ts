/** Kills the real process several times while it erases: every request is completed, and no other record changes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import {
  ask,
  completed,
  KEYS_ENV,
  LIVE_KEY,
  newAddress,
  newMarker,
  outlast,
  RECORDS,
  requestErasure,
  sdk,
  whereKept,
} from '../helpers/erasure-scene.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** One for each kind of request. */
const KILLS = 2;
/** If the erasure ends before the kill, it is repeated with another person. */
const MAX_TRIES = 15;
/** Enough records that erasing them takes longer than the longest delay of a kill. */
const MANY = { taps: 300, opens: 40, events: 500 };
const FEW = { taps: 5, opens: 5, events: 5 };
const MAX_DELAY_MS = 60;

type Amounts = typeof MANY;

interface Planted {
  readonly marker: string;
  readonly userId: string;
  readonly installId: string;
}

for (const engine of engines)
  describe(`a server on ${engine} that is killed while it erases`, () => {
    let place: Place;
    let server: RunningServer;
    let shortCode = '';
    let midway = 0;
    const erased: Planted[] = [];
    const others: { marker: string; rows: string[] }[] = [];
    const requestIds: string[] = [];

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, KEYS_ENV);
      shortCode = await makePlayLink(server.url, LIVE_KEY);
      for (let round = 0; round < MAX_TRIES && midway < KILLS; round++) {
        const ipAddress = newAddress();
        const person = await plant(ipAddress, MANY);
        const other = await plant(newAddress(), FEW);
        // Records of another person at the same address.
        await record(ipAddress, other, { ...FEW, taps: 0 });
        const all = await stored(person, MANY);
        await stored(other, FEW, { ...FEW, taps: 0 });
        erased.push(person);
        others.push({ marker: other.marker, rows: await rowsWith(place, other.marker) });

        const { userId, marker } = person;
        const ids = await requestErasure(server, round % 2 === 0 ? { userId } : { userId, ipAddress });
        requestIds.push(...ids);
        const hasStarted = async () => ((await countOf(place, marker)) < all ? true : undefined);
        await waitFor('the first record to be scrubbed', hasStarted, { everyMs: 5 });
        await sleep(Math.random() * MAX_DELAY_MS);
        await server.end('SIGKILL');
        if ((await countOf(place, marker)) > 0) midway += 1;
        await outlast(place);
        server = await startServer(place, KEYS_ENV);
      }
      await completed(server, requestIds);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });

    it('is killed when only some of a person’s records are erased', () => {
      assert.ok(midway >= KILLS, `only ${midway} of ${erased.length}`);
    });

    it('completes every request and deletes its identifiers', async () => {
      const requests = await queryStored(place, 'select * from erasure_requests');
      assert.equal(requests.length, requestIds.length);
      for (const request of requests) {
        assert.notEqual(request.completed_at, null);
        assert.deepEqual([request.user_id, request.ip_hash], [null, null]);
      }
      assert.deepEqual(await queryStored(place, 'select * from erasure_identifiers'), []);
    });

    it('leaves no personal data of the erased people anywhere', async () => {
      const texts = erased.flatMap(({ marker, userId }) => [marker, userId]);
      assert.deepEqual(await whereKept(place, texts), []);
    });

    it('keeps their records without personal data', async () => {
      for (const { installId } of erased) {
        const [row] = await queryStored(
          place,
          `select (select count(*) from events where install_id = '${installId}') as events,
            (select count(*) from opens where install_id = '${installId}') as opens`,
        );
        assert.deepEqual([Number(row?.events), Number(row?.opens)], [MANY.events, MANY.opens]);
      }
      const clicks = await queryStored(place, 'select id from clicks where user_agent is null');
      assert.equal(clicks.length, erased.length * MANY.taps);
    });

    it('changes no record of other people', async () => {
      for (const { marker, rows } of others) assert.deepEqual(await rowsWith(place, marker), rows);
    });

    it('writes one audit entry for each completed request', async () => {
      const met = await queryStored(place, `select details from audit_log where action = 'privacy.erased'`);
      const ids = met.map(({ details }) => parse(details).requestId);
      assert.deepEqual(ids.sort(), requestIds.toSorted());
    });

    async function plant(address: string, amounts: Amounts): Promise<Planted> {
      const marker = newMarker();
      const caller = { server, address };
      const { installId } = (await sdk(caller, 'install', { fingerprint: fingerprintOf(marker) })).body;
      const person = { marker, userId: `user ${marker}`, installId };
      await sdk(caller, 'identify', { installId, userId: person.userId });
      await record(address, person, amounts);
      return person;
    }

    async function record(address: string, person: Planted, { taps, opens, events }: Amounts) {
      const { installId, marker, userId } = person;
      const caller = { server, address };
      const tap = () => ask(caller, `/l/${shortCode}`, { headers: { 'user-agent': `iPhone ${marker}` } });
      await Promise.all(Array.from({ length: taps }, tap));
      const open = { installId, userId, fingerprint: fingerprintOf(marker) };
      await Promise.all(Array.from({ length: opens }, () => sdk(caller, 'open', open)));
      const event = { installId, eventName: 'level', properties: { note: marker } };
      await sdk(caller, 'events', { events: Array.from({ length: events }, () => event) });
    }

    /** Waits until all records are stored; returns their number, the install included. */
    async function stored({ marker }: Planted, ...amounts: Amounts[]): Promise<number> {
      const records = amounts.map(({ taps, opens, events }) => taps + opens + events);
      const all = records.reduce((sum, each) => sum + each, 1);
      return await waitFor('all records to be stored', async () =>
        (await countOf(place, marker)) === all ? all : undefined,
      );
    }
  });

function fingerprintOf(marker: string) {
  return { platform: 'IOS', osVersion: '17.5.1', userAgent: `Shop ${marker}`, deviceModel: marker };
}

async function rowsWith(place: Place, marker: string): Promise<string[]> {
  const rows: string[] = [];
  for (const table of RECORDS)
    for (const row of await queryStored(place, `select * ${recordsWith(table, marker)} order by id`))
      rows.push(JSON.stringify(row));
  return rows;
}

async function countOf(place: Place, marker: string): Promise<number> {
  const counts = RECORDS.map((table) => `(select count(*) ${recordsWith(table, marker)})`);
  const [row] = await queryStored(place, `select ${counts.join(' + ')} as n`);
  return Number(row?.n);
}

function recordsWith(table: (typeof RECORDS)[number], marker: string): string {
  const column = table === 'events' ? 'properties' : 'user_agent';
  return `from ${table} where cast(${column} as text) like '%${marker}%'`;
}

function parse(details: unknown): { requestId: string } {
  return typeof details === 'string' ? JSON.parse(details) : (details as { requestId: string });
}
