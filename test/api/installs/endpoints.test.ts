/** SDK endpoints: POST /v1/sdk/install and /v1/sdk/open. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError, assertUuidV7, WRONG_VALUES } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const fingerprint = IPHONE_FINGERPRINT;

for (const engine of engines)
  describe(`SDK endpoints, install and open, on ${engine}`, () => {
    const world = useWorld(engine);

    const send = (path: string, app: TestApp, body: unknown, from = freshAddress()) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, from, body });
    const install = (app: TestApp, body: object) => send('install', app, { fingerprint, ...body });
    const open = (app: TestApp, body: object) => send('open', app, { fingerprint, ...body });

    async function clicked() {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { ...PLAY, campaignId: 'spring' });
      return { app, clickId: await world.clickId(shortCode, { from: freshAddress() }) };
    }

    it('a clickId may be the URL that opened the app', async () => {
      for (const address of ['https://go.test/l/x', 'shop://products/42', 'com.example.shop:'])
        for (const rest of ['', '&a=b', '#top']) {
          const { app, clickId } = await clicked();
          const opened = `${address}?b=c&svc_click_id=${clickId}${rest}`;
          const { body } = await install(app, { clickId: opened });
          assert.deepEqual([body.method, body.clickId ?? clickId], ['CLICK_ID', clickId], opened);
        }
    });

    it('POST /v1/sdk/install returns 200 and the attribution result with installId set', async () => {
      const { app, clickId } = await clicked();
      const { status, body } = await install(app, { clickId });
      assert.deepEqual([status, body.method, body.campaignId], [200, 'CLICK_ID', 'spring']);
      assertUuidV7(body.installId);
    });

    it('POST /v1/sdk/install accepts the client’s installId; a retry with it gets the first response', async () => {
      const { app, clickId } = await clicked();
      const body = { clickId, installId: randomUUID() };
      const first = await install(app, body);
      const again = await install(app, { ...body, installId: body.installId.toUpperCase() });
      assert.equal(first.body.installId, body.installId);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      const { db } = world.service;
      const rows = await db.selectFrom('installs').select('id').where('app_id', '=', app.id).execute();
      assert.equal(rows.length, 1);
    });

    it('POST /v1/sdk/open returns 200 and the attribution result plus openId', async () => {
      const { app, clickId } = await clicked();
      const installed = (await install(app, { clickId })).body;
      const { status, body } = await open(app, { clickId, installId: installed.installId, userId: 'u1' });
      assert.equal(status, 200);
      assertUuidV7(body.openId);
      assert.deepEqual(body, { ...installed, openId: body.openId });
    });

    it('POST /v1/sdk/open accepts the client’s openId; a retry with it gets the first response', async () => {
      const { app, clickId } = await clicked();
      const body = { clickId, openId: randomUUID() };
      const first = await open(app, body);
      const again = await open(app, body);
      assert.equal(first.body.openId, body.openId);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      const { db } = world.service;
      const rows = await db.selectFrom('opens').select('id').where('app_id', '=', app.id).execute();
      assert.equal(rows.length, 1);
    });

    it('a click is claimed by at most one install and at most one open', async () => {
      const { app, clickId } = await clicked();
      const methods = [];
      for (const call of [install, open, install, open])
        methods.push((await call(app, { clickId })).body.method);
      assert.deepEqual(methods, ['CLICK_ID', 'CLICK_ID', 'ORGANIC', 'ORGANIC']);
    });

    it('installId and openId are unique within an app only', async () => {
      const [one, other] = [await world.newApp(), await world.newApp()];
      const installId = randomUUID();
      assert.equal((await install(one, { installId })).body.installId, installId);
      assert.equal((await install(other, { installId })).body.installId, installId);
      const foreign = (await install(one, {})).body.installId;
      assert.equal((await open(other, { installId: foreign })).body.installId, null);
    });

    for (const [path, fields] of [
      [
        'install',
        [
          ['installReferrer', 'string'],
          ['clickId', 'string'],
          ['debugBuild', 'boolean'],
          ['installId', 'string'],
        ],
      ],
      [
        'open',
        [
          ['clickId', 'string'],
          ['installId', 'string'],
          ['userId', 'string'],
          ['debugBuild', 'boolean'],
          ['openId', 'string'],
        ],
      ],
    ] as const) {
      it(`POST /v1/sdk/${path}: fingerprint is required`, async () => {
        assertError(await send(path, await world.newApp(), {}), 400, 'request.invalid', 'fingerprint');
      });

      for (const [name, type] of fields)
        it(`POST /v1/sdk/${path} field: ${name}, ${type}, optional`, async () => {
          const app = await world.newApp();
          assert.equal((await send(path, app, { fingerprint, [name]: null })).status, 200);
          for (const wrong of WRONG_VALUES[type])
            assertError(await send(path, app, { fingerprint, [name]: wrong }), 400, 'request.invalid', name);
          if (/^(install|open)Id$/.test(name))
            for (const wrong of ['no-uuid', '', `urn:uuid:${randomUUID()}`, `{${randomUUID()}}`])
              assertError(
                await send(path, app, { fingerprint, [name]: wrong }),
                400,
                'request.invalid',
                name,
              );
        });

      it(`POST /v1/sdk/${path}: a publishable key uses the connection’s address, a secret key the fingerprint’s`, async () => {
        const app = await world.newApp();
        const visitor = freshAddress();
        await world.tap((await world.newLink(app)).shortCode, { from: visitor });
        const body = { fingerprint: { ...fingerprint, ipAddress: visitor } };
        const call = (key: string, from: string) =>
          world.call('POST', `/v1/sdk/${path}`, { key, from, body });
        assert.equal((await call(app.keys.live_publishable, freshAddress())).body.method, 'ORGANIC');
        assert.equal((await call(app.keys.live, freshAddress())).body.method, 'FINGERPRINT');
        const other = freshAddress();
        await world.tap((await world.newLink(app)).shortCode, { from: other });
        assert.equal((await call(app.keys.live_publishable, other)).body.method, 'FINGERPRINT');
      });
    }

    it('POST /v1/sdk/open: userId, 1 to 255 characters', async () => {
      const app = await world.newApp();
      for (const userId of ['u', 'u'.repeat(255)]) assert.equal((await open(app, { userId })).status, 200);
      for (const userId of ['', 'u'.repeat(256)])
        assertError(await open(app, { userId }), 400, 'request.invalid', 'userId');
    });
  });
