/** Endpoints, Debug: POST /v1/debug/attribution. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError, WRONG_VALUES } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`endpoints, debug, on ${engine}`, () => {
    const world = useWorld(engine);

    const debug = (body: unknown) =>
      world.call('POST', '/v1/debug/attribution', { body, from: freshAddress() });

    /** An app with two clicks, and a request for each method of attribution. */
    async function newClicks() {
      const app = await world.newApp();
      const fields = { ...PLAY, campaignId: 'spring', metadata: { a: 1 }, deepLinkParams: { id: 7 } };
      const { shortCode } = await world.newLink(app, fields);
      const ipAddress = freshAddress();
      await world.tap(shortCode, { from: ipAddress, userAgent: IPHONE });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      const elsewhere = { platform: 'ANDROID', ipAddress: freshAddress() };
      return {
        app,
        questions: {
          INSTALL_REFERRER: { fingerprint: elsewhere, installReferrer: `svc_click_id=${clickId}` },
          CLICK_ID: { fingerprint: elsewhere, clickId },
          FINGERPRINT: { fingerprint: { ...IPHONE_FINGERPRINT, ipAddress } },
          ORGANIC: { fingerprint: elsewhere },
        },
      };
    }

    for (const method of ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'] as const)
      it(`a dry run for ${method} returns the result of the real install, with installId null`, async () => {
        const { app, questions } = await newClicks();
        const question = questions[method];
        const dry = await debug({ apiKey: app.keys.live, ...question });
        assert.equal(dry.status, 200, dry.text);
        assert.equal(dry.body.method, method);
        assert.equal(dry.body.installId, null);
        const real = await world.install(app, question, { key: app.keys.live });
        assert.ok(real.body.installId);
        // The confidence decreases with the click's age, which is slightly greater now.
        assert.ok(Math.abs(Number(dry.body.confidence) - Number(real.body.confidence)) < 0.01);
        const { confidence } = real.body;
        assert.deepEqual({ ...dry.body, confidence }, { ...real.body, installId: null });
        assert.deepEqual(Object.keys(dry.body), Object.keys(real.body));
      });

    async function recorded(app: TestApp) {
      const { db } = world.service;
      await world.service.clickLog.applied();
      const ofApp = (table: 'installs' | 'opens' | 'events') =>
        db.selectFrom(table).select('id').where('app_id', '=', app.id).execute();
      const clicks = db.selectFrom('clicks').selectAll().where('app_id', '=', app.id).orderBy('id');
      return [await ofApp('installs'), await ofApp('opens'), await ofApp('events'), await clicks.execute()];
    }

    it('matches without storing a row, claiming a click or creating an install', async () => {
      const { app, questions } = await newClicks();
      const before = await recorded(app);
      assert.deepEqual(
        before.map(({ length }) => length),
        [0, 0, 0, 2],
      );
      for (const question of Object.values(questions))
        for (const _time of [1, 2])
          assert.equal((await debug({ apiKey: app.keys.live, ...question })).status, 200);
      assert.deepEqual(await recorded(app), before);
    });

    it('body field apiKey, string, required', async () => {
      const { app } = await newClicks();
      const fingerprint = IPHONE_FINGERPRINT;
      assertError(await debug({ fingerprint }), 401, 'key.missing', 'apiKey');
      for (const apiKey of [null, 7, '', [app.keys.live]])
        assertError(await debug({ apiKey, fingerprint }), 401);
      assertError(await debug({ apiKey: `svc_live_${'x'.repeat(30)}`, fingerprint }), 401, 'key.invalid');
      assert.equal((await debug({ apiKey: app.keys.live, fingerprint })).status, 200);
    });

    it('body field fingerprint, object, required', async () => {
      const { keys } = await world.newApp();
      assertError(await debug({ apiKey: keys.live }), 400, 'request.invalid', 'fingerprint');
      for (const fingerprint of WRONG_VALUES.object)
        assertError(await debug({ apiKey: keys.live, fingerprint }), 400, 'request.invalid', 'fingerprint');
    });

    it('body field installReferrer, string, optional', async () => {
      const { keys } = await world.newApp();
      const question = { apiKey: keys.live, fingerprint: IPHONE_FINGERPRINT };
      assert.equal((await debug(question)).status, 200);
      assert.equal((await debug({ ...question, installReferrer: 'utm_source=x' })).status, 200);
      for (const installReferrer of WRONG_VALUES.string)
        assertError(await debug({ ...question, installReferrer }), 400, 'request.invalid', 'installReferrer');
    });

    it('body field clickId, string or null, optional', async () => {
      const { keys } = await world.newApp();
      const question = { apiKey: keys.live, fingerprint: IPHONE_FINGERPRINT };
      for (const clickId of [null, 'not-a-uuid', ''])
        assert.equal((await debug({ ...question, clickId })).body.method, 'ORGANIC');
      for (const clickId of WRONG_VALUES.string)
        assertError(await debug({ ...question, clickId }), 400, 'request.invalid', 'clickId');
    });

    it('the address is always fingerprint.ipAddress, never that of the connection', async () => {
      const { app, questions } = await newClicks();
      const { ipAddress, ...without } = questions.FINGERPRINT.fingerprint;
      const from = ipAddress;
      const body = { apiKey: app.keys.live, fingerprint: without };
      assert.equal(
        (await world.call('POST', '/v1/debug/attribution', { body, from })).body.method,
        'ORGANIC',
      );
    });

    it('a test key counts as a debug build, and matches its own app’s clicks only', async () => {
      const { app } = await newClicks();
      const { shortCode } = await world.newLink(app, { ...PLAY, sandbox: true });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      const question = { fingerprint: IPHONE_FINGERPRINT, clickId };
      const other = await world.newApp();
      assert.equal((await debug({ apiKey: app.keys.live, ...question })).body.method, 'ORGANIC');
      assert.equal((await debug({ apiKey: app.keys.test, ...question })).body.method, 'CLICK_ID');
      assert.equal((await debug({ apiKey: other.keys.test, ...question })).body.method, 'ORGANIC');
    });

    for (const kind of ['live_publishable', 'test_publishable'] as const)
      it(`a ${kind} key gets 401, and the error names the required kind`, async () => {
        const { keys } = await world.newApp();
        const answer = await debug({ apiKey: keys[kind], fingerprint: IPHONE_FINGERPRINT });
        assertError(answer, 401, 'key.wrong_kind', /secret key.*svc_live_/);
      });

    for (const body of [[], 'text', null, 7])
      it(`a body that is not an object gets 400: ${JSON.stringify(body)}`, async () => {
        assertError(await debug(body), 400, 'request.invalid');
      });
  });
