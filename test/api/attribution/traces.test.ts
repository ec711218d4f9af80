/** Endpoints beyond the contract that explain attribution decisions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`endpoints, traces, on ${engine}`, () => {
    const world = useWorld(engine);

    async function scene() {
      const app = await world.newApp();
      const ipAddress = freshAddress();
      await world.tap((await world.newLink(app)).shortCode, { from: ipAddress, userAgent: IPHONE });
      return { app, ipAddress, fingerprint: { ...IPHONE_FINGERPRINT, ipAddress } };
    }

    it('POST /v1/debug/attribution?explain=true adds explanation', async () => {
      const { app, ipAddress, fingerprint } = await scene();
      const call = { body: { apiKey: app.keys.live, fingerprint }, from: freshAddress() };
      const plain = await world.call('POST', '/v1/debug/attribution', call);
      const explained = await world.call('POST', '/v1/debug/attribution?explain=true', call);
      assert.ok(!('explanation' in plain.body));
      const { explanation, network, ...result } = explained.body;
      assert.deepEqual([typeof explanation, network, explanation.network], ['object', null, []]);
      assert.deepEqual(Object.keys(result), Object.keys(plain.body));
      const shown = JSON.stringify(explanation);
      assert.ok(shown.includes(plain.body.clickId), 'the explanation lacks the candidate');
      assert.match(shown, /osVersion/, 'the explanation lacks the weight of a signal');
      assert.match(shown, /168/, 'the explanation lacks the windows');
      for (const value of [ipAddress, IPHONE_FINGERPRINT.osVersion, IPHONE_FINGERPRINT.deviceModel])
        assert.ok(!shown.includes(value), 'the explanation contains the value of a signal');
    });

    it('GET /v1/installs/{id} returns the install with its trace', async () => {
      const { app, fingerprint } = await scene();
      const { body } = await world.install(app, { fingerprint }, { key: app.keys.live });
      const read = await world.call('GET', `/v1/installs/${body.installId}`, { key: app.keys.live });
      assert.equal(read.status, 200, read.text);
      assert.ok(read.text.includes(body.installId) && read.text.includes(body.clickId));
      assert.match(read.text, /osVersion/);
    });

    it('a trace has the thresholds of a match as rounded numbers', async () => {
      const { app, fingerprint } = await scene();
      const body = { apiKey: app.keys.live, fingerprint };
      const asked = await world.call('POST', '/v1/debug/attribution?explain=true', { body });
      const { installId } = (await world.install(app, { fingerprint }, { key: app.keys.live })).body;
      const read = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
      for (const { explanation } of [asked.body, read.body]) {
        const { threshold, margin } = explanation.fingerprint;
        assert.deepEqual([threshold, margin], [0.7, 3]);
        assert.doesNotMatch(JSON.stringify(explanation), /\.\d{5}|:-?[\d.]+e-/);
      }
    });

    it('a trace shows whether there was a referrer, and whether it named a click', async () => {
      const { app, fingerprint } = await scene();
      const link = await world.newLink(app, {
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
      });
      const clickId = await world.clickId(link.shortCode, { from: freshAddress() });
      for (const [installReferrer, said] of [
        [undefined, 'none'],
        [null, 'none'],
        ['', 'none'],
        ['utm_source=google-play&utm_medium=organic', 'no_click_id'],
        [`svc_click_id=${clickId}`, 'click_id'],
      ]) {
        const body = { apiKey: app.keys.live, fingerprint, installReferrer };
        const asked = await world.call('POST', '/v1/debug/attribution?explain=true', { body });
        assert.equal(asked.body.explanation.referrer, said, String(installReferrer));
      }
    });

    it('GET /v1/installs/{id} of another app, or of a live install with a test key, gets 404', async () => {
      const { app, fingerprint } = await scene();
      const { body } = await world.install(app, { fingerprint }, { key: app.keys.live });
      const path = `/v1/installs/${body.installId}`;
      for (const key of [(await world.newApp()).keys.live, app.keys.test]) {
        const answer = await world.call('GET', path, { key });
        assertError(answer, 404, 'install.not_found');
        assert.match(answer.body.error, /Check the id and the key; a test key sees sandbox installs only\.$/);
      }
    });
  });
