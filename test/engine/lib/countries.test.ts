/** Countries of clicks, installs, opens and events, looked up from a local file. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { type TestApp, useWorld, type World } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const [DUTCH, JAPANESE, GERMAN_IPV6, PRIVATE] = ['193.0.6.139', '133.242.0.3', '2a02:8071:1::5', '10.1.2.3'];
const fingerprint = { platform: 'ANDROID' };

const read = async (world: World, app: TestApp, path: string) => {
  const answer = await world.call('GET', `/v1/${path}`, { key: app.keys.live });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const sdk = async (world: World, app: TestApp, path: string, from: string, body: object) => {
  const call = { key: app.keys.live_publishable, from, body: { fingerprint, ...body } };
  const answer = await world.call('POST', `/v1/sdk/${path}`, call);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};

for (const engine of engines)
  describe(`countries on ${engine}`, () => {
    const world = useWorld(engine);

    it('a click has the country of its address; a private address has none', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      for (const from of [DUTCH, GERMAN_IPV6, PRIVATE]) await world.clickId(shortCode, { from });
      const clicks = await read(world, app, 'clicks');
      assert.deepEqual(
        clicks.map(({ country }: { country: string }) => country),
        [null, 'DE', 'NL'],
      );
    });

    it('an attributed install or open has the country of its click, another its own; events that of their install', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const click = async (from: string) => ({ clickId: await world.clickId(shortCode, { from }) });
      const { installId: attributed } = await sdk(world, app, 'install', JAPANESE, await click(DUTCH));
      const { installId: organic } = await sdk(world, app, 'install', JAPANESE, {});
      await sdk(world, app, 'install', JAPANESE, await click(PRIVATE));
      await sdk(world, app, 'open', JAPANESE, await click(GERMAN_IPV6));
      await sdk(world, app, 'open', DUTCH, {});
      await sdk(world, app, 'resolve', JAPANESE, { shortCode, openId: randomUUID(), installId: attributed });
      for (const installId of [attributed, organic])
        await sdk(world, app, 'event', GERMAN_IPV6, { installId, eventName: 'buy' });
      const countriesOf = async (path: string) =>
        (await read(world, app, path)).map(({ country }: { country: string }) => country).reverse();
      assert.deepEqual(await countriesOf('installs'), ['NL', 'JP', null]);
      assert.deepEqual(await countriesOf('opens'), ['DE', 'NL', 'JP']);
      assert.deepEqual(await countriesOf('events'), ['NL', 'JP']);
    });

    it('lists filter by country, and statistics group by it', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      for (const from of [DUTCH, DUTCH, JAPANESE, PRIVATE]) await world.clickId(shortCode, { from });
      await sdk(world, app, 'install', GERMAN_IPV6, {});
      assert.equal((await read(world, app, 'clicks?country=NL')).length, 2);
      assert.equal((await read(world, app, 'installs?country=DE')).length, 1);
      assert.equal((await read(world, app, 'installs?country=NL')).length, 0);
      const { groups } = await read(world, app, 'stats?groupBy=country');
      assert.deepEqual(
        Object.fromEntries(
          groups.map(({ key, label, ...metrics }: Record<string, unknown>) => [
            key,
            [label, metrics.clicks, metrics.installs],
          ]),
        ),
        { NL: ['Netherlands', 2, 0], JP: ['Japan', 1, 0], DE: ['Germany', 0, 1], null: ['(none)', 1, 0] },
      );
    });

    it('with a secret key the country is that of the fingerprint’s address', async () => {
      const app = await world.newApp();
      const body = { fingerprint: { ...fingerprint, ipAddress: JAPANESE } };
      await world.call('POST', '/v1/sdk/install', { key: app.keys.live, from: DUTCH, body });
      await world.call('POST', '/v1/sdk/install', { key: app.keys.live, from: DUTCH, body: { fingerprint } });
      const installs = await read(world, app, 'installs');
      assert.deepEqual(
        installs.map(({ country }: { country: string }) => country),
        [null, 'JP'],
      );
    });
  });

describe('GEOIP_FILE=none', () => {
  const world = useWorld(engines[0] ?? 'sqlite', { GEOIP_FILE: 'none' });

  it('no record has a country', async () => {
    const app = await world.newApp();
    const { shortCode } = await world.newLink(app, PLAY);
    await world.clickId(shortCode, { from: DUTCH });
    await sdk(world, app, 'install', DUTCH, {});
    const [[click], [install]] = [await read(world, app, 'clicks'), await read(world, app, 'installs')];
    assert.deepEqual([click.country, install.country], [null, null]);
  });
});
