/** After a completed erasure no delivery contains the person's data, and no later call restores it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Engine, engines, makePlace, type Place } from '../../helpers/engines.ts';
import {
  ask,
  assertGone,
  completed,
  KEYS_ENV,
  LIVE_KEY,
  type MarkedPerson,
  newAddress,
  plantPerson,
  requestErasure,
  sdk,
  textsOf,
} from '../../helpers/erasure-scene.ts';
import { makePlayLink, type RunningServer, startServer } from '../../helpers/process.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type Receipt, ReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { callServer, waitingFor } from '../../helpers/webhook-scene.ts';

const EVENTS = ['event.recorded', 'install.attributed', 'install.organic', 'open.attributed'];
/** Longer than an erasure takes to start, and shorter than its wait for an attempt in flight. */
const SLOW_MS = 1_500;

const defineCases = (engine: Engine) =>
  // The receivers get the events of every case, so the cases of one engine run in sequence.
  describe(`on ${engine}`, { concurrency: 1 }, () => {
    let place: Place;
    let receiver: ReceiverProcess;
    let server: RunningServer;
    let shortCode = '';

    before(async () => {
      place = await makePlace(engine);
      receiver = await ReceiverProcess.start();
      server = await startServer(place, { ...KEYS_ENV, ...RECEIVER_ENV });
      shortCode = await makePlayLink(server.url, LIVE_KEY);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await receiver?.stop();
      await place?.remove();
    });

    it('is in no later webhook delivery, whether due or in flight', async () => {
      const failing = await newHook('/failing', { status: 500 });
      const person = await plantPerson(server, shortCode);
      const isDueForLast = `webhook_id = '${failing}' and failed_attempts = 2`;
      const due = `select id from webhook_deliveries where status = 0 and ${isDueForLast}`;
      await waitFor('two failed attempts', async () => (await queryStored(place, due))[0]);
      const slow = await newHook('/slow', { status: 500, afterMs: SLOW_MS });
      await sdk({ server, address: person.address }, 'event', {
        installId: person.installId,
        eventName: 'late',
      });
      await waitFor('an attempt to be in flight', async () => (await receiptsOf('/slow', person))[0]);
      await erase(person);

      const completedMs = Date.now();
      assert.notDeepEqual(await queryStored(place, due), []);
      assert.equal((await receiver.state('/slow')).open, 0);
      for (const [path, id] of [
        ['/failing', failing],
        ['/slow', slow],
      ] as const) {
        await waitFor('all deliveries to end', async () =>
          (await waitingFor(place, id)) === 0 ? true : undefined,
        );
        const later = (await receiver.received(path)).filter(({ atMs }) => atMs > completedMs);
        assert.deepEqual(later.map(textOf), []);
      }
    });

    it('is in no redelivery, which is rejected because the data was erased', async () => {
      const id = await newHook('/well', { status: 200 });
      const person = await plantPerson(server, shortCode);
      await waitFor('all deliveries to end', async () =>
        (await receiptsOf('/well', person)).length > 0 && (await waitingFor(place, id)) === 0
          ? true
          : undefined,
      );
      await erase(person);

      const { arrived } = await receiver.state('/well');
      const attempts = await queryStored(place, `select id from webhook_attempts where webhook_id = '${id}'`);
      assert.equal(attempts.length, arrived);
      for (const attempt of attempts) {
        const path = `/v1/webhooks/deliveries/${attempt.id}/redelivery`;
        const options = { method: 'POST', headers: { 'x-api-key': LIVE_KEY }, body: {} };
        const { status, text } = await ask({ server, address: person.address }, path, options);
        assert.equal(status, 409);
        assert.match(JSON.parse(text).error, /was erased or has expired/);
      }
      assert.equal(await waitingFor(place, id), 0);
      assert.equal((await receiver.state('/well')).arrived, arrived);
    });

    it('is not restored by new or repeated calls of the same install, nor by a new install of the phone', async () => {
      await newHook('/later', { status: 200 });
      const person = await plantPerson(server, shortCode);
      const { installId, userId, marker } = person;
      const caller = { server, address: person.address };
      const fingerprint = { platform: 'ANDROID', deviceModel: marker };
      const again = {
        event: { installId, userId, eventId: randomUUID(), eventName: 'level', properties: { marker } },
        open: { installId, userId, openId: randomUUID(), fingerprint },
        install: { installId, fingerprint },
      };
      for (const [path, body] of Object.entries(again)) await send(path, body);
      const texts = await textsOf(place, person);
      const countEvents = async () =>
        (await queryStored(place, `select id from events where install_id = '${installId}'`)).length;
      const count = await countEvents();
      await erase(person);

      caller.address = newAddress();
      const nextUser = `user ${randomUUID()}`;
      const completedMs = Date.now();
      assert.equal((await sdk(caller, 'open', again.open)).status, 200, 'a retry gets its first answer');
      for (const [path, body] of [
        ['event', again.event],
        ['install', again.install],
        ['event', { installId, userId, eventName: 'later' }],
        ['open', { installId, userId, fingerprint }],
        ['identify', { installId, userId }],
      ] as const)
        assert.equal((await sdk(caller, path, body)).status, 404, path);
      assert.equal(await countEvents(), count);
      const next = randomUUID();
      await send('install', { installId: next, fingerprint: { platform: 'ANDROID' } });
      const { eventId } = await send('event', { installId: next, eventName: 'later' });
      const { openId } = await send('open', { installId: next, fingerprint: { platform: 'ANDROID' } });
      await send('identify', { installId: next, userId: nextUser });
      const { eventId: nextEventId } = await send('event', { installId: next, eventName: 'next' });
      const among = `id in ('${eventId}', '${nextEventId}', '${openId}')`;
      const users = await queryStored(
        place,
        `select user_id from events where ${among} union all select user_id from opens where ${among}`,
      );
      assert.equal(users.length, 3);
      for (const { user_id: user } of users) assert.ok(user === null || user === nextUser, String(user));
      await assertGone(place, [...texts, again.event.eventId]);
      const delivered = await waitFor('the last event to be delivered', async () => {
        const receipts = (await receiver.received('/later')).filter(({ atMs }) => atMs > completedMs);
        return receipts.some((receipt) => textOf(receipt).includes(nextUser)) ? receipts : undefined;
      });
      for (const receipt of delivered)
        assert.ok(!texts.some((text) => textOf(receipt).includes(text)), textOf(receipt));

      async function send(path: string, body: object) {
        const { status, body: answer } = await sdk(caller, path, body);
        assert.ok(status < 300, `${path}: ${status}`);
        return answer;
      }
    });

    async function erase({ userId }: MarkedPerson): Promise<void> {
      await completed(server, await requestErasure(server, { userId }));
    }

    async function newHook(path: string, answer: { status: number; afterMs?: number }): Promise<string> {
      await receiver.behave(path, { kind: 'answer', ...answer });
      const body = { url: receiver.url(path), secret: 'a secret', events: EVENTS };
      return (await callServer(server, LIVE_KEY, ['POST', '/v1/webhooks', body])).id;
    }

    async function receiptsOf(path: string, { marker, userId }: MarkedPerson): Promise<Receipt[]> {
      const receipts = await receiver.received(path);
      return receipts.filter((receipt) => [marker, userId].some((text) => textOf(receipt).includes(text)));
    }
  });

// The cases mostly wait, so the engines run concurrently.
describe('a person whose erasure is completed', { concurrency: true }, () => {
  for (const engine of engines) defineCases(engine);
});

function textOf({ body }: Receipt): string {
  return Buffer.from(body, 'base64').toString('utf8');
}
