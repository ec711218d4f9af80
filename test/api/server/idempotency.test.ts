/** Idempotency-Key on the creation of links and webhooks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`Idempotency-Key on ${engine}`, () => {
    const world = useWorld(engine);
    const headers = { 'idempotency-key': 'order 66' };
    const body = { deepLinkPath: '/welcome' };
    const post = (key: string, content: object = body, given: Record<string, string> = headers) =>
      world.call('POST', '/v1/links', { key, body: content, headers: given });
    const countLinks = async (key: string) => (await world.call('GET', '/v1/links', { key })).body.length;

    it('a request with the same key and body within 24 hours gets the first response again', async () => {
      const key = (await world.newApp()).keys.live;
      const first = await post(key);
      world.clock.advance(DAY_MS - 10 * SECOND_MS);
      const again = await post(key);
      assert.deepEqual([again.status, again.body], [201, first.body]);
      assert.equal(await countLinks(key), 1);
    });

    it('returns the first response again even if the link was changed or deleted since', async () => {
      const key = (await world.newApp()).keys.live;
      const first = await post(key);
      await world.call('DELETE', `/v1/links/${first.body.shortCode}`, { key });
      const again = await post(key);
      assert.deepEqual([again.status, again.body], [201, first.body]);
      assert.equal(await countLinks(key), 0);
    });

    it('the order of fields and white space do not matter', async () => {
      const key = (await world.newApp()).keys.live;
      const first = await post(key, {
        deepLinkPath: '/a',
        campaignId: 'c',
        metadata: { x: { y: 1, z: [2] } },
      });
      const again = await post(key, {
        metadata: { x: { z: [2], y: 1 } },
        campaignId: 'c',
        deepLinkPath: '/a',
      });
      assert.deepEqual([again.status, again.body], [201, first.body]);
      assertError(
        await post(key, { deepLinkPath: '/a', campaignId: 'c', metadata: { x: { y: 1, z: [3] } } }),
        409,
        'idempotency.conflict',
      );
    });

    it('another body with the same key gets 409', async () => {
      const key = (await world.newApp()).keys.live;
      await post(key);
      assertError(await post(key, { deepLinkPath: '/other' }), 409, 'idempotency.conflict');
      assert.equal(await countLinks(key), 1);
    });

    it('after 24 hours the key creates a new link', async () => {
      const key = (await world.newApp()).keys.live;
      const first = await post(key);
      world.clock.advance(DAY_MS + SECOND_MS);
      const later = await post(key, { deepLinkPath: '/other' });
      assert.equal(later.status, 201);
      assert.notEqual(later.body.id, first.body.id);
      assert.deepEqual((await post(key, { deepLinkPath: '/other' })).body, later.body);
    });

    it('concurrent requests create one link, and all get its response', async () => {
      const key = (await world.newApp()).keys.live;
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
      assert.equal(await countLinks(key), 1);
    });

    it('concurrent requests with an expired key create one link, and all get its response', async () => {
      const key = (await world.newApp()).keys.live;
      const first = await post(key);
      world.clock.advance(DAY_MS + SECOND_MS);
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set([first, ...answers].map((answer) => answer.body.id)).size, 2);
      assert.equal(await countLinks(key), 2);
    });

    it('keys of different apps are independent', async () => {
      const one = (await world.newApp()).keys.live;
      const other = (await world.newApp()).keys.live;
      assert.notEqual((await post(one)).body.id, (await post(other)).body.id);
    });

    it('a rejected request may be sent again with the same key', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { shortCode } = await world.newLink(app);
      assertError(await post(key, { ...body, shortCode }), 409, 'link.code_taken');
      assert.equal((await post(key)).status, 201);
    });

    it('without the header every request creates a link', async () => {
      const key = (await world.newApp()).keys.live;
      const [one, two] = [await post(key, body, {}), await post(key, body, {})];
      assert.notEqual(one.body.id, two.body.id);
    });

    for (const [what, given] of Object.entries({ empty: '', 'of 256 characters': 'k'.repeat(256) }))
      it(`a key that is ${what} gets 400`, async () => {
        const key = (await world.newApp()).keys.live;
        assertError(
          await post(key, body, { 'idempotency-key': given }),
          400,
          'request.invalid',
          'Idempotency-Key',
        );
      });

    it('on POST /v1/webhooks: the same body gets the first response again, another body 409', async () => {
      const key = (await world.newApp()).keys.live;
      const postWebhook = (url: string) =>
        world.call('POST', '/v1/webhooks', { key, headers, body: { url, secret: 'a secret' } });
      const first = await postWebhook('https://example.com/hook');
      assert.equal(first.status, 201);
      assert.deepEqual((await postWebhook('https://example.com/hook')).body, first.body);
      assertError(await postWebhook('https://example.com/other'), 409, 'idempotency.conflict');
      assert.equal((await world.call('GET', '/v1/webhooks', { key })).body.length, 1);
    });
  });
