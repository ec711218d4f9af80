/** Errors: every status of the contract, and the format that all errors share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, RECORD_NOT_FOUND } from '../../helpers/shapes.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`errors on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);

    for (const [what, rawBody] of Object.entries({
      'an open bracket': '{"deepLinkPath": "/"',
      'bare text': 'deepLinkPath=/',
      'single quotes': "{'deepLinkPath': '/'}",
      'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    }))
      it(`400: invalid JSON, ${what}`, async () => {
        const key = (await world.newApp()).keys.live;
        assertError(await world.call('POST', '/v1/links', { key, rawBody }), 400, 'request.invalid_json');
        assertError(
          await world.call('POST', '/v1/sdk/install', { key, rawBody }),
          400,
          'request.invalid_json',
        );
        const debug = { rawBody, from: freshAddress() };
        assertError(await world.call('POST', '/v1/debug/attribution', debug), 400, 'request.invalid_json');
      });

    it('400: missing required field, named in the error', async () => {
      const key = (await world.newApp()).keys.live;
      const missing = async (path: string, body: unknown, field: string) =>
        assertError(await world.call('POST', path, { key, body }), 400, 'request.invalid', field);
      await missing('/v1/links', {}, 'deepLinkPath');
      await missing('/v1/sdk/install', {}, 'fingerprint');
      await missing('/v1/sdk/open', { fingerprint: {} }, 'platform');
      await missing('/v1/sdk/event', { installId: NO_ID }, 'eventName');
      await missing('/v1/sdk/events', {}, 'events');
      await missing('/v1/sdk/identify', { installId: NO_ID }, 'userId');
    });

    it('400: validation failure, named in the error', async () => {
      const key = (await world.newApp()).keys.live;
      const body = { deepLinkPath: '/', expiresInDays: 'ten' };
      assertError(
        await world.call('POST', '/v1/links', { key, body }),
        400,
        'request.invalid',
        'expiresInDays',
      );
      for (const wrong of [[], 'text', 7, null])
        assertError(
          await world.call('POST', '/v1/links', { key, body: wrong }),
          400,
          'request.invalid',
          'body',
        );
    });

    it('400: an empty body for an endpoint that requires one', async () => {
      const key = (await world.newApp()).keys.live;
      const call = { key, headers: { 'content-type': 'application/json' } };
      assertError(await world.call('POST', '/v1/links', call), 400, 'request.invalid');
    });

    for (const path of ['erase', 'export'])
      it(`400: POST /v1/privacy/${path} with neither ipAddress nor userId`, async () => {
        const key = (await world.newApp()).keys.live;
        for (const body of [{}, { requesterEmail: 'a@example.com' }, { ipAddress: null, userId: null }])
          assertError(await world.call('POST', `/v1/privacy/${path}`, { key, body }), 400, 'request.invalid');
      });

    it('401: missing or invalid API key', async () => {
      assertError(await world.call('GET', '/v1/links'), 401, 'key.missing');
      const key = `svc_live_${'x'.repeat(24)}`;
      assertError(await world.call('GET', '/v1/links', { key }), 401, 'key.invalid');
    });

    it('401: region mismatch', async () => {
      const key = `svc_live_eu_${'x'.repeat(28)}`;
      assertError(await world.call('GET', '/v1/links', { key }), 401, 'key.wrong_region', 'eu');
    });

    it('404: the requested resource does not exist', async () => {
      const key = (await world.newApp()).keys.live;
      assertError(await world.call('GET', '/v1/links/unknown1', { key }), 404, 'link.not_found');
      const event = { key, body: { installId: NO_ID, eventName: 'x' } };
      assertError(await world.call('POST', '/v1/sdk/event', event), 404, 'install.not_found');
    });

    it('404: an unknown webhook on test', async () => {
      const key = (await world.newApp()).keys.live;
      const answer = await world.call('POST', `/v1/webhooks/${NO_ID}/test`, { key });
      assertError(answer, 404, RECORD_NOT_FOUND);
    });

    for (const [method, path] of [
      ['GET', '/v1/unheard-of'],
      ['GET', '/'],
      ['DELETE', '/v1/links'],
    ] as const)
      it(`404: unknown endpoint ${method} ${path}`, async () => {
        const key = (await world.newApp()).keys.live;
        assertError(await world.call(method, path, { key }), 404, 'route.not_found');
      });

    it('409: beyond the contract, a short code in use, and an Idempotency-Key with another body', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const body = { deepLinkPath: '/', shortCode };
      assertError(
        await world.call('POST', '/v1/links', { key: app.keys.live, body }),
        409,
        'link.code_taken',
      );
    });

    it('410: beyond the contract, an expired link on the short link host', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), { expiresInDays: 1 });
      world.clock.advance(DAY_MS);
      assertError(await world.tap(shortCode), 410, 'link.expired');
    });

    it('429: rate limit exceeded', async () => {
      const apiKey = (await world.newApp()).keys.live;
      const from = freshAddress();
      const call = { body: { apiKey, fingerprint: IPHONE_FINGERPRINT }, from };
      const answers = await Promise.all(
        Array.from({ length: 31 }, () => world.call('POST', '/v1/debug/attribution', call)),
      );
      const refused = answers.filter(({ status }) => status === 429);
      assert.equal(refused.length, 1);
      for (const answer of refused) assertError(answer, 429, 'rate.limited');
    });

    it('502: webhook test delivery failed', async () => {
      const key = (await world.newApp()).keys.live;
      // That port has no listener.
      const body = { url: 'http://127.0.0.1:9/hook', secret: 'a secret' };
      const webhook = await world.call('POST', '/v1/webhooks', { key, body });
      assert.equal(webhook.status, 201, webhook.text);
      assertError(await world.call('POST', `/v1/webhooks/${webhook.body.id}/test`, { key }), 502);
    });
  });

for (const engine of engines)
  describe(`server errors on ${engine}`, () => {
    const world = useWorld(engine);

    it('500: a server error without internal details', async () => {
      const key = (await world.newApp()).keys.live;
      await sql`drop table links`.execute(world.service.db);
      for (const answer of [
        await world.call('GET', '/v1/links', { key }),
        await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/' } }),
      ]) {
        assertError(answer, 500, 'internal');
        assert.doesNotMatch(answer.text, /links|table|relation|sqlite|\bat /i);
      }
    });
  });
