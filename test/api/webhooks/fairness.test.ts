/** Receivers that hang delay no other receiver, not even on the same host and port. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts } from '../../helpers/webhook-scene.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const EVENTS = 20;
/** An app can have 100 webhooks. */
const HANGING = 98;

for (const engine of engines)
  describe(`fairness among webhooks on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    it(`webhooks created first and last get their ${EVENTS} events while ${HANGING} others hang`, async () => {
      const receiver = receivers.get;
      const app = await world.newApp();
      const hangingPath = `/${randomUUID()}`;
      const create = async (path: string) =>
        (await newWebhook(world, app, { url: receiver.url(path), events: ['event.recorded'] })).id;
      const createHealthy = async () => {
        const path = `/${randomUUID()}`;
        return { path, id: await create(path) };
      };
      const first = await createHealthy();
      const stuck: { id: string; path: string }[] = [];
      for (let made = 0; made < HANGING; made++) {
        const path = `${hangingPath}?${made}`;
        await receiver.behave(path, { kind: 'silent' });
        stuck.push({ path, id: await create(path) });
      }
      const healthy = [first, await createHealthy()];

      const installId = (await world.install(app, {}, { from: freshAddress() })).body.installId as string;
      const key = app.keys.live_publishable;
      for (let sent = 0; sent < EVENTS; sent++) {
        const body = { installId, eventName: `event ${sent}` };
        const { status } = await world.call('POST', '/v1/sdk/event', { key, from: freshAddress(), body });
        assert.equal(status, 201);
      }
      for (const { path, id } of healthy) {
        const receipts = await waitFor(
          'all events to arrive and their attempts to be stored',
          async () => {
            const all = await receiver.received(path);
            const stored = await storedAttempts(world.place, id);
            return all.length >= EVENTS && stored.length >= EVENTS ? all : undefined;
          },
          { everyMs: 20 },
        );
        assert.equal(new Set(receipts.map(({ webhookId }) => webhookId)).size, EVENTS);
        assert.equal((await storedAttempts(world.place, id)).length, EVENTS);
      }
      let hung = 0;
      for (const { path, id } of stuck) {
        hung += (await receiver.state(path)).open;
        const ended = await storedAttempts(world.place, id);
        assert.equal(ended.length, 0, 'a hanging attempt ended before all events arrived');
      }
      assert.ok(hung >= HANGING, `only ${hung} attempts hung`);
    });
  });
