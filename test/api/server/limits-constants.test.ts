/** Limits: the table of the other constants. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`limits, constants, on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);

    /** An app with 101 links, created with keys of two kinds because those of each may create 60 a minute. */
    const full = once(async () => {
      const app = await world.newApp();
      for (let made = 0; made < 101; made++)
        await world.newLink(app, {}, made < 55 ? app.keys.live : app.keys.test);
      return app;
    });

    it('constant: GET /v1/links limit, default 50, range 1 to 100', async () => {
      const { keys } = await full();
      const list = (query: string) => world.call('GET', `/v1/links${query}`, { key: keys.live });
      assert.equal((await list('')).body.length, 50);
      assert.equal((await list('?limit=1')).body.length, 1);
      assert.equal((await list('?limit=100')).body.length, 100);
      for (const limit of [0, 101])
        assertError(await list(`?limit=${limit}`), 400, 'request.invalid', 'limit');
    });

    it('constant: GET /v1/links offset, default 0', async () => {
      const { keys } = await full();
      const list = (query: string) => world.call('GET', `/v1/links${query}`, { key: keys.live });
      assert.deepEqual((await list('')).body, (await list('?offset=0')).body);
      assert.equal((await list('?offset=100')).body.length, 1);
    });

    it('constant: GET /v1/webhooks/deliveries limit, default 25, range 1 to 100', async () => {
      const { keys } = await world.newApp();
      const list = (query: string) =>
        world.call('GET', `/v1/webhooks/deliveries${query}`, { key: keys.live });
      for (const query of ['', '?limit=1', '?limit=100']) assert.equal((await list(query)).status, 200);
      for (const limit of ['0', '101', 'ten'])
        assertError(await list(`?limit=${limit}`), 400, 'request.invalid', 'limit');
      // That port has no listener; a failed attempt is recorded, too.
      const body = { url: 'http://127.0.0.1:9/', secret: 'a secret' };
      const webhook = (await world.call('POST', '/v1/webhooks', { key: keys.live, body })).body;
      const test = () => world.call('POST', `/v1/webhooks/${webhook.id}/test`, { key: keys.live });
      await Promise.all(Array.from({ length: 26 }, test));
      assert.equal((await list('')).body.length, 25);
      assert.equal((await list('?limit=100')).body.length, 26);
    });

    it('constant: erasure completion, within 15 minutes; processing cycle every 15 minutes', async () => {
      const key = (await world.newApp()).keys.live;
      assert.equal((world.service.config as { erasureIntervalSeconds?: number }).erasureIntervalSeconds, 900);
      const { status, body } = await world.call('POST', '/v1/privacy/erase', {
        key,
        body: { userId: 'u1' },
      });
      assert.equal(status, 202);
      const completed = await waitFor('the erasure to be completed', async () => {
        const read = await world.call('GET', `/v1/privacy/erase/${body.requestIds[0]}`, { key });
        return read.body.status === 'completed' ? read.body : undefined;
      });
      const tookMs = Date.parse(completed.completedAt) - Date.parse(completed.requestedAt);
      assert.ok(tookMs >= 0 && tookMs <= 15 * 60_000);
    });
  });
