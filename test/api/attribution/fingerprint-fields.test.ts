/** Resources, Device fingerprint: sent by the SDK and accepted by the debug endpoint. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertError, type InputType, WRONG_VALUES } from '../../helpers/shapes.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

interface FingerprintField {
  readonly name: string;
  readonly type: InputType;
  readonly values: readonly unknown[];
}

const FIELDS: readonly FingerprintField[] = [
  { name: 'ipAddress', type: 'string', values: ['203.0.113.9', '2001:db8::1', '::ffff:203.0.113.9'] },
  { name: 'userAgent', type: 'string', values: ['Shop/7 (iPhone)', 'u'.repeat(5_000)] },
  { name: 'platform', type: 'string', values: ['ANDROID', 'IOS', 'android', 'iOS'] },
  { name: 'osVersion', type: 'string', values: ['17.5.1', '14'] },
  { name: 'deviceModel', type: 'string', values: ['iPhone15,2', 'Pixel 8'] },
  // More lenient than the contract's integers, so that an invalid size does not lose the install.
  { name: 'screenWidth', type: 'number', values: [1_179, 0, 1_079.5, -1] },
  { name: 'screenHeight', type: 'number', values: [2_556, 0, 2_339.5, -1] },
  { name: 'screenDensity', type: 'number', values: [3, 2.625, 420, -1] },
  { name: 'locale', type: 'string', values: ['en_US', 'zh-Hant-TW'] },
  { name: 'timezone', type: 'string', values: ['Europe/Berlin', 'America/Argentina/Buenos_Aires'] },
  { name: 'appVersion', type: 'string', values: ['7.0.1'] },
  { name: 'sdkVersion', type: 'string', values: ['1.2.3'] },
];

for (const engine of engines)
  describe(`resources, Device fingerprint, on ${engine}`, () => {
    const world = useWorld(engine);
    const theApp = once(() => world.newApp());

    /** The three endpoints that accept a fingerprint, each called from a separate address. */
    async function send(app: TestApp, fingerprint: unknown) {
      const sdk = (path: string) =>
        world.call('POST', path, { key: app.keys.live, from: freshAddress(), body: { fingerprint } });
      return [
        await sdk('/v1/sdk/install'),
        await sdk('/v1/sdk/open'),
        await world.call('POST', '/v1/debug/attribution', {
          from: freshAddress(),
          body: { apiKey: app.keys.live, fingerprint },
        }),
      ];
    }

    for (const { name, type, values } of FIELDS)
      it(`Device fingerprint field: ${name}, ${type}`, async () => {
        const app = await theApp();
        for (const value of values)
          for (const answer of await send(app, { platform: 'IOS', [name]: value }))
            assert.equal(answer.status, 200, answer.text);
        for (const wrong of WRONG_VALUES[type])
          for (const answer of await send(app, { platform: 'IOS', [name]: wrong }))
            assertError(answer, 400, 'request.invalid', name);
      });

    it('only platform is required', async () => {
      const app = await theApp();
      for (const answer of await send(app, { platform: 'IOS' }))
        assert.equal(answer.status, 200, answer.text);
      const { platform: _left, ...rest } = Object.fromEntries(
        FIELDS.map(({ name, values }) => [name, values[0]]),
      );
      for (const answer of await send(app, rest)) assertError(answer, 400, 'request.invalid', 'platform');
    });

    it('a platform other than ANDROID and IOS gets 400', async () => {
      for (const platform of ['WINDOWS', '', ' IOS', 'ANDROID,IOS'])
        for (const answer of await send(await theApp(), { platform }))
          assertError(answer, 400, 'request.invalid', 'platform');
    });

    it('an invalid ipAddress gets 400', async () => {
      for (const ipAddress of ['300.1.2.3', 'localhost', '', '1.2.3'])
        for (const answer of await send(await theApp(), { platform: 'IOS', ipAddress }))
          assertError(answer, 400, 'request.invalid', 'ipAddress');
    });

    it('the fingerprint itself is required and an object', async () => {
      for (const fingerprint of [undefined, null, 'IOS', ['IOS']])
        for (const answer of await send(await theApp(), fingerprint))
          assertError(answer, 400, 'request.invalid', 'fingerprint');
    });

    it('user agents of devices and visitors are truncated to 1,024 characters', async () => {
      const app = await world.newApp();
      const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${'x'.repeat(2_000)}`;
      const { body } = await world.install(app, { fingerprint: { platform: 'IOS', userAgent } });
      await world.tap((await world.newLink(app)).shortCode, { userAgent });
      await world.service.clickLog.applied();
      const { db } = world.service;
      const query = (table: 'installs' | 'clicks') =>
        db.selectFrom<'installs' | 'clicks'>(table).select('user_agent').where('app_id', '=', app.id);
      assert.equal(body.attributed, false);
      for (const table of ['installs', 'clicks'] as const)
        assert.equal((await query(table).executeTakeFirstOrThrow()).user_agent, userAgent.slice(0, 1_024));
    });
  });
