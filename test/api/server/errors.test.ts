/** Errors: every status of the contract, and the format that all errors share. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { NO_ID } from '../../helpers/endpoints.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type Call, freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

/** What is wrong, the status and code, the request with the live key of an app, and what the error names. */
type Case = readonly [title: string, error: string, request: string, call?: Call, says?: string];

const NO_JSON: Call = { rawBody: "{'a':1}" };
const NO_UTF_8: Call = { rawBody: Buffer.from('{"\xff":1}', 'latin1') };
const NUL: Call = { rawBody: '{"deepLinkPath":"/\\u0000"}' };
const WRONG_TYPE: Call = { body: { deepLinkPath: '/', expiresInDays: 'ten' } };
const EMPTY: Call = { headers: { 'content-type': 'application/json' } };
const UNKNOWN_KEY: Call = { key: `svc_live_${'x'.repeat(24)}` };
const FOREIGN_KEY: Call = { key: `svc_live_eu_${'x'.repeat(28)}` };
const EVENT: Call = { body: { installId: NO_ID, eventName: 'x' } };

/** One for each code; `bad-input.test.ts` sends each operation whatever can be wrong with a body. */
const CASES: readonly Case[] = [
  ['no JSON', '400 request.invalid_json', 'POST /v1/links', NO_JSON],
  ['no JSON from an SDK', '400 request.invalid_json', 'POST /v1/sdk/install', NO_JSON],
  ['no JSON with the key in it', '400 request.invalid_json', 'POST /v1/debug/attribution', NO_JSON],
  ['no UTF-8', '400 request.invalid_json', 'POST /v1/links', NO_UTF_8],
  ['NUL in a text', '400 request.invalid_text', 'POST /v1/links', NUL, 'deepLinkPath'],
  ['a missing field', '400 request.invalid', 'POST /v1/links', { body: {} }, 'deepLinkPath'],
  ['a field of another type', '400 request.invalid', 'POST /v1/links', WRONG_TYPE, 'expiresInDays'],
  ['a body that is no object', '400 request.invalid', 'POST /v1/links', { body: [] }, 'body'],
  ['an empty body', '400 request.invalid', 'POST /v1/links', EMPTY],
  ['an unknown API key', '401 key.invalid', 'GET /v1/links', UNKNOWN_KEY],
  ['an API key of another region', '401 key.wrong_region', 'GET /v1/links', FOREIGN_KEY, 'eu'],
  ['an unknown link', '404 link.not_found', 'GET /v1/links/unknown1'],
  ['an event of an unknown install', '404 install.not_found', 'POST /v1/sdk/event', EVENT],
  ['a test of an unknown webhook', '404 webhook.not_found', `POST /v1/webhooks/${NO_ID}/test`],
  ['an unknown endpoint', '404 route.not_found', 'GET /v1/unheard-of'],
  ['no endpoint', '404 route.not_found', 'GET /'],
  ['a method that an endpoint lacks', '404 route.not_found', 'DELETE /v1/links'],
];

for (const engine of neutralEngines)
  describe(`errors on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });

    for (const [title, error, request, call, says] of CASES)
      it(`${error}: ${title}`, async () => {
        const [method = '', path = ''] = request.split(' ');
        const [status, code] = error.split(' ');
        const answer = await world.call(method as 'GET', path, { key: app.keys.live, ...call });
        assertError(answer, Number(status), code, says);
      });

    it('401: no API key', async () => {
      assertError(await world.call('GET', '/v1/links'), 401, 'key.missing');
    });

    it('409: beyond the contract, a short code in use', async () => {
      const { shortCode } = await world.newLink(app);
      const call = { key: app.keys.live, body: { deepLinkPath: '/', shortCode } };
      assertError(await world.call('POST', '/v1/links', call), 409, 'link.code_taken');
    });

    it('429: rate limit exceeded', async () => {
      const call = {
        body: { apiKey: app.keys.live, fingerprint: IPHONE_FINGERPRINT },
        from: freshAddress(),
      };
      const answers = await Promise.all(
        Array.from({ length: 31 }, () => world.call('POST', '/v1/debug/attribution', call)),
      );
      const refused = answers.filter(({ status }) => status === 429);
      assert.equal(refused.length, 1);
      for (const answer of refused) assertError(answer, 429, 'rate.limited');
    });

    it('502: webhook test delivery failed', async () => {
      const { live: key } = app.keys;
      // That port has no listener.
      const body = { url: 'http://127.0.0.1:9/hook', secret: 'a secret' };
      const webhook = await world.call('POST', '/v1/webhooks', { key, body });
      assert.equal(webhook.status, 201, webhook.text);
      assertError(await world.call('POST', `/v1/webhooks/${webhook.body.id}/test`, { key }), 502);
    });

    it('410: beyond the contract, an expired link on the short link host', async () => {
      const { shortCode } = await world.newLink(app, { expiresInDays: 1 });
      world.clock.advance(DAY_MS);
      assertError(await world.tap(shortCode), 410, 'link.expired');
    });

    it('500: a server error without internal details', async () => {
      const { live: key } = app.keys;
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
