/** A disabled or deleted webhook gets no further delivery. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertMany } from '../../src/db/index.ts';
import { HOUR_MS, isoTime } from '../../src/lib/clock.ts';
import { engines } from '../helpers/engines.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { useReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../helpers/webhook-scene.ts';
import { CAUSES, newWebhook } from '../helpers/webhooks.ts';
import { useWorld } from '../helpers/world.ts';

/** A second attempt would have begun by then. */
const LONG_ENOUGH_MS = 3_000;

const STOPS = [
  ['disabled', 'PATCH', { enabled: false }],
  ['deleted', 'DELETE', undefined],
] as const;

for (const engine of engines)
  describe(`stopped webhooks on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    for (const [stopped, method, body] of STOPS) {
      const scene = async (afterMs: number) => {
        const path = `/${randomUUID()}`;
        await receivers.get.behave(path, { kind: 'answer', status: 500, afterMs });
        const app = await world.newApp();
        const key = app.keys.live;
        const { id } = await newWebhook(world, app, { url: receivers.get.url(path) });
        const stop = async () => {
          const { status, text } = await world.call(method, `/v1/webhooks/${id}`, { key, body });
          assert.ok(status === 200 || status === 204, text);
        };
        return { path, app, key, id, stop };
      };

      it(`one that is ${stopped} between two attempts gets no further attempt`, async () => {
        const { path, app, id, stop } = await scene(0);
        await CAUSES['install.organic'](world, app);
        await waitFor(
          'the first attempt to fail',
          async () => {
            const [attempt] = await storedAttempts(world.place, id);
            return attempt?.http_status === 500 ? true : undefined;
          },
          { everyMs: 20 },
        );
        await stop();
        await sleep(LONG_ENOUGH_MS);
        assert.equal((await receivers.get.received(path)).length, 1);
        assert.equal((await storedAttempts(world.place, id)).length, 1);
        assert.equal(await waitingFor(world.place, id), 0);
      });

      it(`one that is ${stopped} during an attempt gets no further attempt, and that attempt is recorded`, async () => {
        const { path, app, id, stop } = await scene(1_000);
        await CAUSES['install.organic'](world, app);
        await waitFor(
          'an attempt to be in flight',
          async () => ((await receivers.get.state(path)).open > 0 ? true : undefined),
          { everyMs: 20 },
        );
        await stop();
        await sleep(LONG_ENOUGH_MS);
        assert.equal((await receivers.get.received(path)).length, 1);
        const attempts = await storedAttempts(world.place, id);
        assert.deepEqual(
          attempts.map(({ http_status: status }) => status),
          [500],
        );
        assert.equal(await waitingFor(world.place, id), 0);
      });
    }

    it('one that is enabled again gets new events only', async () => {
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, { kind: 'answer', status: 500 }, { kind: 'answer', status: 200 });
      const app = await world.newApp();
      const key = app.keys.live;
      const { id } = await newWebhook(world, app, { url: receivers.get.url(path) });
      const enable = (enabled: boolean) =>
        world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { enabled } });
      await CAUSES['install.organic'](world, app);
      await waitFor(
        'the first attempt to fail',
        async () => ((await storedAttempts(world.place, id))[0]?.http_status === 500 ? true : undefined),
        { everyMs: 20 },
      );
      await enable(false);
      await CAUSES['install.organic'](world, app);
      await enable(true);
      await CAUSES['install.attributed'](world, app);
      await sleep(LONG_ENOUGH_MS);
      const types = (await receivers.get.received(path)).map(({ headers }) => headers['x-service-event']);
      assert.deepEqual(types, ['install.organic', 'install.attributed']);
    });

    it('one that is enabled again at once gets none of its waiting deliveries', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { id } = await newWebhook(world, app, { url: receivers.get.url(`/${randomUUID()}`) });
      const { service } = world;
      const later = isoTime(service.clock.nowMs() + HOUR_MS);
      const waiting = Array.from({ length: 3_500 }, () => ({
        app_id: app.id,
        id: service.ids.next(),
        webhook_id: id,
        message_id: service.ids.next(),
        status: 0 as const,
        failed_attempts: 1,
        next_attempt_at: later,
      }));
      await insertMany(service.db, 'webhook_queue', waiting);
      for (const enabled of [false, true])
        await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { enabled } });
      assert.equal(await waitingFor(world.place, id), 0);
    });
  });
