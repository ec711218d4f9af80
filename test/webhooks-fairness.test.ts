/** Receivers that hang take nothing from those that answer, even on the same host and port. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { RECEIVER_ENV } from './contract/webhook-receiver.ts';
import { newWebhook } from './contract/webhooks.ts';
import { engines } from './engines.ts';
import { waitFor } from './wait-for.ts';
import { useReceiverProcess } from './webhook-receiver-process.ts';
import { storedAttempts } from './webhook-scene.ts';
import { freshAddress, useWorld } from './world.ts';

const EVENTS = 20;

for (const engine of engines)
  describe(`fairness among webhooks on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    for (const [hanging, when] of [
      [50, 'created first'],
      [99, 'created last'],
    ] as const)
      it(`a healthy one, ${when}, gets its ${EVENTS} events while ${hanging} others hang`, async () => {
        const receiver = receivers.get;
        const app = await world.newApp();
        const healthyPath = `/${randomUUID()}`;
        const hangingPath = `/${randomUUID()}`;
        await receiver.behave(hangingPath, { kind: 'silent' });
        const create = async (path: string) =>
          (await newWebhook(world, app, { url: receiver.url(path), events: ['event.recorded'] })).id;
        const stuck: string[] = [];
        const first = when === 'created first' ? await create(healthyPath) : null;
        for (let made = 0; made < hanging; made++) stuck.push(await create(`${hangingPath}?${made}`));
        for (const path of stuck.keys()) await receiver.behave(`${hangingPath}?${path}`, { kind: 'silent' });
        const healthy = first ?? (await create(healthyPath));

        const installId = (await world.install(app, {}, { from: freshAddress() })).body.installId as string;
        const key = app.keys.live_publishable;
        for (let sent = 0; sent < EVENTS; sent++) {
          const body = { installId, eventName: `event ${sent}` };
          const { status } = await world.call('POST', '/v1/sdk/event', { key, from: freshAddress(), body });
          assert.equal(status, 201);
        }
        const receipts = await waitFor(
          'the healthy one gets its events',
          async () => {
            const all = await receiver.received(healthyPath);
            return all.length >= EVENTS ? all : undefined;
          },
          { everyMs: 20 },
        );
        let hung = 0;
        for (const [nth, id] of stuck.entries()) {
          hung += (await receiver.state(`${hangingPath}?${nth}`)).open;
          const ended = await storedAttempts(world.place, id);
          assert.equal(ended.length, 0, 'it had to wait until an attempt of another one ended');
        }
        assert.ok(hung >= hanging, `only ${hung} attempts hung`);
        assert.equal(new Set(receipts.map(({ webhookId }) => webhookId)).size, EVENTS);
        assert.equal((await storedAttempts(world.place, healthy)).length, EVENTS);
        for (const id of stuck) await world.call('DELETE', `/v1/webhooks/${id}`, { key: app.keys.live });
      });
  });
