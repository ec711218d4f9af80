/** Two regions: two real servers that share only each other's address. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { PIXEL } from '../helpers/callers.ts';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { callServer } from '../helpers/webhook-scene.ts';

const REGIONS = ['us', 'eu'] as const;
type Region = (typeof REGIONS)[number];
const otherOf = (region: Region): Region => (region === 'us' ? 'eu' : 'us');

interface Side {
  readonly place: Place;
  readonly server: RunningServer;
  readonly key: string;
  readonly shortCode: string;
}

for (const engine of neutralEngines)
  describe(`two regions on ${engine}`, () => {
    const places: Place[] = [];
    const servers: RunningServer[] = [];
    let sides: Record<Region, Side>;
    before(async () => {
      const [us, eu] = [await start('us'), await start('eu')];
      sides = { us, eu };
    });
    after(async () => {
      for (const server of servers) await server.end('SIGTERM');
      for (const place of places) await place.remove();
    });

    async function start(region: Region): Promise<Side> {
      const place = await makePlace(engine);
      places.push(place);
      const token = `admin token of ${region}, for tests only`;
      const server = await startServer(place, {
        REGION: region,
        PUBLIC_URL: `https://api.${region}.test`,
        SHORT_LINK_URL: `https://go.${region}.test`,
        OTHER_REGION_URL: `https://api.${otherOf(region)}.test`,
        ADMIN_TOKEN: token,
        SECRET_KEY: `root secret of ${region}, for tests only`,
      });
      servers.push(server);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const post = async (path: string, body: object) => {
        const answer = await fetch(`${server.url}/v1/admin/apps${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        return (await answer.json()) as { id: string; key: string };
      };
      const { id } = await post('', { name: `Shop ${region}` });
      const { key } = await post(`/${id}/keys`, { kind: 'live' });
      return { place, server, key, shortCode: await makePlayLink(server.url, key) };
    }

    for (const region of REGIONS) {
      it(`${region}: its keys carry its name, and its links its own short link host`, async () => {
        const { server, key, shortCode } = sides[region];
        assert.ok(key.startsWith(`svc_live_${region}_`));
        const { shortUrl } = await callServer(server, key, ['GET', `/v1/links/${shortCode}`]);
        assert.equal(shortUrl, `https://go.${region}.test/l/${shortCode}`);
      });

      it(`${region}: a key of the other region gets 401 with the right base address`, async () => {
        const other = sides[otherOf(region)];
        for (const [path, body] of [
          ['/v1/links', { deepLinkPath: '/' }],
          ['/v1/sdk/install', { fingerprint: { platform: 'IOS' } }],
          ['/v1/privacy/export', { userId: 'somebody' }],
        ] as const) {
          const answer = await fetch(sides[region].server.url + path, {
            method: 'POST',
            headers: { 'x-api-key': other.key, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          assert.deepEqual([answer.status, answer.headers.get('x-service-error')], [401, 'key.wrong_region']);
          const { error } = (await answer.json()) as { error: string };
          assert.match(
            error,
            new RegExp(
              `belongs to region ${otherOf(region)}.*Use https://api\\.${otherOf(region)}\\.test\\.`,
            ),
          );
        }
      });

      it(`${region}: a short link of the other region is not found, and no click is stored`, async () => {
        const other = sides[otherOf(region)];
        const answer = await fetch(`${sides[region].server.url}/l/${other.shortCode}`, {
          redirect: 'manual',
          headers: { 'user-agent': PIXEL },
        });
        assert.equal(answer.status, 404);
        for (const { place } of Object.values(sides)) assert.equal(await countRows(place, 'clicks'), 0);
      });
    }

    it('records stay in the database of their region, and one person has unlinkable records in both', async () => {
      const { us, eu } = sides;
      const fingerprint = { platform: 'ANDROID', ipAddress: '203.0.113.9' };
      const install = { installId: randomUUID(), fingerprint };
      await callServer(us.server, us.key, ['POST', '/v1/sdk/install', install]);
      assert.deepEqual(
        [await countRows(us.place, 'installs'), await countRows(eu.place, 'installs')],
        [1, 0],
      );
      const event = { installId: install.installId, eventName: 'purchase' };
      const refused = await fetch(`${eu.server.url}/v1/sdk/event`, {
        method: 'POST',
        headers: { 'x-api-key': eu.key, 'content-type': 'application/json' },
        body: JSON.stringify(event),
      });
      assert.equal(refused.status, 404);
      await callServer(eu.server, eu.key, ['POST', '/v1/sdk/install', install]);
      const hashes = await Promise.all(
        [us, eu].map(({ place }) => queryStored(place, 'select ip_hash from installs')),
      );
      assert.equal(new Set(hashes.flat().map(({ ip_hash }) => ip_hash)).size, 2);
    });

    it('an erasure in one region keeps the records of the other', async () => {
      const { us, eu } = sides;
      const { requestIds } = await callServer(us.server, us.key, [
        'POST',
        '/v1/privacy/erase',
        { ipAddress: '203.0.113.9' },
      ]);
      for (let status = ''; status !== 'completed'; )
        ({ status } = await callServer(us.server, us.key, ['GET', `/v1/privacy/erase/${requestIds[0]}`]));
      const held = 'select 1 as one from installs where ip_hash is not null';
      assert.deepEqual(
        [(await queryStored(us.place, held)).length, (await queryStored(eu.place, held)).length],
        [0, 1],
      );
    });
  });

async function countRows(place: Place, table: string): Promise<number> {
  const [row] = await queryStored(place, `select count(*) as n from ${table}`);
  return Number(row?.n);
}
