import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { eraseLateResponsesInFlight, eraseMessages } from '../../../src/webhooks/index.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`responses of receivers on ${engine}`, () => {
    const world = useWorld(engine, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    let isAsked = false;
    let answer: () => void = () => undefined;
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        isAsked = true;
        answer = () => response.end(Buffer.concat(parts));
      });
    }).listen(0, '127.0.0.1');
    after(() => receiver.close());

    it('erases a response that was recorded after its message was erased', async () => {
      const app = await world.newApp();
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const webhook = { url, secret: 'a secret of the receiver', events: ['event.recorded'] };
      await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook });
      const { installId } = (await world.install(app)).body;
      const event = { installId, eventName: 'bought', userId: 'ada', properties: { iban: 'DE02 1203' } };
      const { body } = await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
      await waitFor('the attempt to be in flight', async () => (isAsked ? true : undefined));
      const { service } = world;

      const erase = service.db.transaction().execute((tx) => eraseMessages(tx, app.id, [body.eventId]));
      assert.equal(await erase, 1);
      answer();
      const answers = () =>
        queryStored(world.place, `select response_body from webhook_attempts where app_id = '${app.id}'`);
      const recorded = await waitFor('the attempt to be in the log', async () => (await answers())[0]);
      assert.match(String(recorded.response_body), /DE02 1203/);

      await eraseLateResponsesInFlight(
        service.db,
        { appId: app.id, sinceMs: service.clock.nowMs() },
        async () => undefined,
      );
      assert.deepEqual(
        (await answers()).map((row) => row.response_body),
        [''],
      );
    });
  });
