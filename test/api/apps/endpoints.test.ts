/** Keys and access: `/v1/admin/apps`. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, assertField, assertUuidV7 } from '../../helpers/shapes.ts';
import { DESKTOP, type TestApp, useWorld } from '../../helpers/world.ts';

const SHA_256 = Array.from({ length: 32 }, () => 'AB').join(':');

/** Field, valid value, default, invalid values. */
const FIELDS: readonly (readonly [
  name: string,
  value: unknown,
  unset: unknown,
  refused: readonly unknown[],
])[] = [
  ['iosBundleId', 'com.example.shop', null, [7, 'with space', '']],
  ['iosTeamId', 'A1B2C3D4E5', null, [7, 'with space', '']],
  ['iosAppStoreId', '525463029', null, [525463029, 'id525463029', '', '0525463029', '0']],
  ['androidPackage', 'com.example.shop', null, [7, 'with space', '']],
  ['androidCertFingerprints', [SHA_256], [], [SHA_256, ['AB:CD'], null]],
  ['urlScheme', 'shop', null, [7, 'with space', '1shop', 'javascript', 'Data', 'tel']],
  ['iosDestination', 'https://apps.apple.com/app/id1', null, [7, 'javascript:alert(1)', '']],
  ['androidDestination', 'market://details?id=com.example', null, [7, 'javascript:alert(1)', '']],
  ['fallbackUrl', 'https://example.com/', null, [7, 'market://details?id=com.example', '']],
  ['landingPage', 'never', 'auto', ['', 'Auto', 7, null]],
  ['clipboardToken', true, false, ['true', 1, null]],
  ['referrerWindowHours', 2_160, 168, [0, 2_161, 1.5, '24', null]],
  ['clickIdWindowHours', 1, 168, [0, 2_161, 1.5, '24', null]],
  ['fingerprintWindowHours', 72, 24, [0, 73, 1.5, '24', null]],
  ['fingerprintIos', false, true, ['false', 0, null]],
  ['fingerprintAndroid', false, true, ['false', 0, null]],
  ['fingerprintThreshold', 0.57, 0.7, [0.49, 1, 0.725, '0.7', null]],
  ['measureAccuracy', false, true, ['false', 0, null]],
  ['dailyEventLimit', 1, null, [0, 1.5, '24', 2 ** 53]],
  ['dailyEventBytes', 2 ** 53 - 1, null, [0, 1.5, '24', 2 ** 53]],
  [
    'appLinks',
    {
      enabled: true,
      defaults: { iosDestination: 'https://apps.apple.com/app/id1', landingPage: 'never', campaignId: 'a' },
      allowCampaignId: true,
      perInstallPerDay: 10_000,
      perDay: 1,
    },
    null,
    [
      ...[true, 'on', {}, { enabled: 'on' }, { enabled: true, other: 1 }, { enabled: true, perDay: 0 }],
      ...[0, 10_001, 1.5].map((perInstallPerDay) => ({ enabled: true, perInstallPerDay })),
      ...[{ fallbackUrl: 'javascript:alert(1)' }, { campaignId: '' }, { rules: [] }].map((defaults) => ({
        enabled: true,
        defaults,
      })),
    ],
  ],
  ['rootUrl', 'https://www.example.com/', null, [7, 'javascript:alert(1)', '/home', '']],
  ['notFoundUrl', 'https://www.example.com/404', null, [7, 'market://details?id=com.example', '']],
  [
    'firebaseLongLinks',
    { allowedHosts: ['www.example.com', '*.shop.example.com'] },
    null,
    [
      ...['www.example.com', {}, { allowedHosts: [] }, { allowedHosts: ['a.example'], other: 1 }],
      ...['*', '*.com', 'a b.example', 'https://a.example', 'a.example/x', 'a.example:80', '127.0.0.1'].map(
        (host) => ({ allowedHosts: [host] }),
      ),
      ...['localhost', '**.a.example', 'a.*.example', 'ä.example', ''].map((host) => ({
        allowedHosts: [host],
      })),
      { allowedHosts: Array.from({ length: 51 }, (_, place) => `a${place}.example`) },
    ],
  ],
];

for (const engine of engines)
  describe(`admin, apps, on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });

    it('POST /v1/admin/apps returns 201 and the app with its id', async () => {
      const { status, body } = await world.admin('POST', '/apps', { name: 'Shop' });
      assert.equal(status, 201);
      assertUuidV7(body.id);
      assert.equal(body.name, 'Shop');
      for (const [name, , unset] of FIELDS) assert.deepEqual(body[name], unset, name);
      for (const name of ['createdAt', 'updatedAt']) assertField(body, [name, 'timestamp']);
    });

    it('app field: name, string of 1 to 255 characters, required', async () => {
      for (const name of ['S', 'S'.repeat(255)])
        assert.equal((await world.admin('POST', '/apps', { name })).status, 201);
      for (const name of [undefined, null, '', 'S'.repeat(256), 7])
        assertError(await world.admin('POST', '/apps', { name }), 400, 'request.invalid', 'name');
    });

    for (const [name, value, unset, refused] of FIELDS)
      it(`app field: ${name}, default ${JSON.stringify(unset)}`, async () => {
        const made = await world.admin('POST', '/apps', { name: 'Shop', [name]: value });
        assert.equal(made.status, 201, made.text);
        assert.deepEqual(made.body[name], value);
        const bare = (await world.admin('POST', '/apps', { name: 'Shop' })).body;
        const patched = await world.admin('PATCH', `/apps/${bare.id}`, { [name]: value });
        const { updatedAt } = patched.body;
        assert.deepEqual([patched.status, patched.body], [200, { ...bare, updatedAt, [name]: value }]);
        for (const wrong of refused) {
          assertError(
            await world.admin('POST', '/apps', { name: 'Shop', [name]: wrong }),
            400,
            undefined,
            name,
          );
          assertError(
            await world.admin('PATCH', `/apps/${bare.id}`, { [name]: wrong }),
            400,
            undefined,
            name,
          );
        }
      });

    it('GET /v1/admin/apps lists, newest first; GET /v1/admin/apps/{id} reads', async () => {
      const one = (await world.admin('POST', '/apps', { name: 'One' })).body;
      const two = (await world.admin('POST', '/apps', { name: 'Two' })).body;
      const { status, body } = await world.admin('GET', '/apps');
      assert.deepEqual([status, body.slice(0, 2)], [200, [two, one]]);
      const read = await world.admin('GET', `/apps/${one.id}`);
      assert.deepEqual([read.status, read.body], [200, one]);
    });

    it('an unknown app gets 404', async () => {
      for (const id of [NO_ID, 'no-uuid']) {
        assertError(await world.admin('GET', `/apps/${id}`), 404, 'app.not_found');
        assertError(await world.admin('PATCH', `/apps/${id}`, { name: 'x' }), 404, 'app.not_found');
      }
    });

    it('app and key IDs are case-insensitive', async () => {
      const { id } = app;
      const upper = id.toUpperCase();
      assert.equal((await world.admin('GET', `/apps/${upper}`)).status, 200);
      const keys = await world.admin('GET', `/apps/${upper}/keys`);
      assert.equal(keys.body.length, 4);
      const keyId = keys.body[0].id;
      assert.equal((await world.admin('GET', `/apps/${id}/keys/${keyId.toUpperCase()}`)).body.id, keyId);
    });

    it('an app’s destinations are the defaults of its links', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/app' });
      const { shortCode } = await world.newLink(app);
      assert.equal(
        (await world.tap(shortCode, { userAgent: DESKTOP })).headers.location,
        'https://example.com/app',
      );
      const own = await world.newLink(app, { fallbackUrl: 'https://example.com/own' });
      const tapped = await world.tap(own.shortCode, { userAgent: DESKTOP });
      assert.equal(tapped.headers.location, 'https://example.com/own');
    });

    for (const [method, path] of [
      ['GET', '/v1/admin/apps'],
      ['POST', '/v1/admin/apps'],
      ['GET', `/v1/admin/apps/${NO_ID}`],
      ['PATCH', `/v1/admin/apps/${NO_ID}`],
      ['GET', `/v1/admin/apps/${NO_ID}/keys`],
      ['POST', `/v1/admin/apps/${NO_ID}/keys`],
      ['DELETE', `/v1/admin/apps/${NO_ID}/keys/${NO_ID}`],
      ['GET', '/metrics'],
    ] as const)
      it(`${method} ${path} accepts the admin token and no API key`, async () => {
        const { live } = app.keys;
        const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
        const bearer = (token: string) =>
          world.call(method, path, { body, headers: { authorization: `Bearer ${token}` } });
        assertError(await world.call(method, path, { body }), 401, 'admin.unauthorized');
        assertError(await world.call(method, path, { body, key: live }), 401, 'admin.unauthorized');
        for (const token of ['', 'guess', live]) assertError(await bearer(token), 401, 'admin.unauthorized');
        const { adminToken } = world.service.dataDir;
        assert.notEqual((await bearer(adminToken)).status, 401);
        // The scheme name is case-insensitive (RFC 9110, 11.1).
        const headers = { authorization: `bearer ${adminToken}` };
        assert.notEqual((await world.call(method, path, { body, headers })).status, 401);
      });
  });
