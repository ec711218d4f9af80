/** One event triggers a webhook once, however often it is reported. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../../helpers/webhook-scene.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

/** A duplicate would have arrived by then. */
const LONG_ENOUGH_MS = 1_500;
const UNKNOWN_INSTALL = '01890000-0000-7000-8000-000000000000';

for (const engine of engines)
  describe(`webhooks for repeated requests on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    async function scene(events: readonly string[]) {
      const path = `/${randomUUID()}`;
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: receivers.get.url(path), events });
      const install = async (installId = randomUUID() as string) =>
        (await world.install(app, { installId }, { from: freshAddress() })).body.installId as string;
      const send = async (name: string, body: object) => {
        const key = app.keys.live_publishable;
        return await world.call('POST', `/v1/sdk/${name}`, { key, from: freshAddress(), body });
      };
      /** The bodies received, once `count` arrived and no more follow. */
      const arrived = async (count: number) => {
        await waitFor(
          `${count} deliveries`,
          async () =>
            (await receivers.get.state(path)).arrived >= count && (await waitingFor(world.place, id)) === 0
              ? true
              : undefined,
          { withinMs: 40_000 },
        );
        await sleep(LONG_ENOUGH_MS);
        assert.equal((await storedAttempts(world.place, id)).length, count);
        const receipts = await receivers.get.received(path);
        assert.equal(receipts.length, count);
        assert.equal(new Set(receipts.map(({ webhookId }) => webhookId)).size, count);
        return receipts.map(({ body }) => JSON.parse(Buffer.from(body, 'base64').toString()));
      };
      return { install, send, arrived };
    }

    it('a delivery waits for a message that becomes visible later, as on a cluster', async () => {
      const { install, arrived } = await scene(['install.organic']);
      const installId = await install();
      await arrived(1);
      const { db, ids, clock } = world.service;
      const message = await db
        .selectFrom('webhook_messages')
        .selectAll()
        .where('record_id', '=', installId)
        .executeTakeFirstOrThrow();
      const { app_id, webhook_id } = await db
        .selectFrom('webhook_attempts')
        .select(['app_id', 'webhook_id'])
        .where('message_id', '=', message.id)
        .executeTakeFirstOrThrow();
      const late = { ...message, id: ids.next() };
      const delivery = {
        ...{ app_id, id: ids.next(), webhook_id, message_id: late.id },
        ...{ status: 0 as const, failed_attempts: 0, next_attempt_at: isoTime(clock.nowMs()) },
      };
      await db.insertInto('webhook_deliveries').values(delivery).execute();
      await sleep(LONG_ENOUGH_MS);
      await db.insertInto('webhook_messages').values(late).execute();
      await arrived(2);
    });

    it('an install fires once, even if it is sent again or twice at the same time', async () => {
      const { install, arrived } = await scene(['install.organic', 'install.attributed']);
      const installId = randomUUID();
      await Promise.all([install(installId), install(installId), install(installId)]);
      await install(installId);
      const [{ data }] = await arrived(1);
      assert.equal(data.installId, installId);
    });

    it('an event fires once, even if it is sent again, alone, in a batch and twice in one batch', async () => {
      const { install, send, arrived } = await scene(['event.recorded']);
      const event = { installId: await install(), eventName: 'purchase', eventId: randomUUID() };
      await Promise.all([
        send('event', event),
        send('event', event),
        send('events', { events: [event, event] }),
      ]);
      assert.equal((await send('event', event)).status, 201);
      assert.equal((await send('events', { events: [event] })).status, 200);
      await arrived(1);
    });

    it('a rejected event of a batch does not fire, the others do', async () => {
      const { install, send, arrived } = await scene(['event.recorded']);
      const installId = await install();
      const events = [
        { installId, eventName: 'good 1' },
        { installId: UNKNOWN_INSTALL, eventName: 'unknown install' },
        { installId, eventName: '' },
        { installId, eventName: 'too much', properties: { text: 'x'.repeat(33 * 1024) } },
        'no event',
        { installId, eventName: 'good 2' },
      ];
      const { body } = await send('events', { events });
      assert.deepEqual(
        body.results.map(({ status }: { status: number }) => status),
        [201, 404, 400, 400, 400, 201],
      );
      const names = (await arrived(2)).map(({ data }) => data.eventName);
      assert.deepEqual(names.sort(), ['good 1', 'good 2']);
    });

    it('an event with the id of another install’s event does not fire', async () => {
      const { install, send, arrived } = await scene(['event.recorded']);
      const eventId = randomUUID();
      await send('event', { installId: await install(), eventName: 'first', eventId });
      const taken = await send('event', { installId: await install(), eventName: 'second', eventId });
      assert.equal(taken.status, 409);
      assert.equal((await arrived(1))[0].data.eventName, 'first');
    });

    it('a batch of 500 events fires 500 times', async () => {
      const { install, send, arrived } = await scene(['event.recorded']);
      const installId = await install();
      const names = Array.from({ length: 500 }, (_, nth) => `event ${nth}`);
      const events = names.map((eventName) => ({ installId, eventName }));
      assert.equal((await send('events', { events })).status, 200);
      const told = (await arrived(500)).map(({ data }) => data.eventName);
      assert.deepEqual(told.sort(), names.sort());
    });
  });
