/** A process killed during deliveries: every message arrives, and the stored attempts match the requests. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { type Receipt, ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import {
  callServer,
  countBy,
  installOn,
  type StoredAttempt,
  sendBatches,
  storedAttempts,
  waitingFor,
} from '../helpers/webhook-scene.ts';

const KILLS = 4;
const BATCHES = 2;
const MESSAGES = BATCHES * 500;
const PATH = '/kills';
/** Slow enough that some requests are always in flight. */
const ANSWER = { kind: 'answer', status: 200, afterMs: 250, refusesOneOf: 50 } as const;
/** Requests between a start and its kill; the second number is the random part. */
const MIN_PROGRESS = 30;
const MORE_PROGRESS = 80;
const MAX_DELAY_MS = 150;
const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, ...RECEIVER_ENV };

for (const engine of engines)
  describe(`a server on ${engine} that is killed while it delivers`, () => {
    let place: Place;
    let receiver: ReceiverProcess | undefined;
    let server: RunningServer | undefined;
    let webhookId = '';
    let receipts: Receipt[] = [];
    let attempts: StoredAttempt[] = [];
    const cuts: { waiting: number; open: number }[] = [];

    before(async () => {
      place = await makePlace(engine);
      receiver = await ReceiverProcess.start();
      // Most messages still wait when the last batch is accepted.
      await receiver.behave(PATH, { ...ANSWER, afterMs: 10 * ANSWER.afterMs });
      server = await startServer(place, ENV);
      const body = { url: receiver.url(PATH), secret: 'a secret', events: ['event.recorded'] };
      webhookId = (await callServer(server, KEY, ['POST', '/v1/webhooks', body])).id;
      const installId = await installOn(server, KEY);
      await sendBatches(server, { key: KEY, installId, batches: BATCHES });
      await receiver.behave(PATH, ANSWER);

      for (let kill = 0; kill < KILLS; kill++) {
        await progress(receiver, MIN_PROGRESS + Math.random() * MORE_PROGRESS);
        await sleep(Math.random() * MAX_DELAY_MS);
        const { open } = await receiver.state(PATH);
        await server.end('SIGKILL');
        cuts.push({ open, waiting: await waitingFor(place, webhookId) });
        server = await startServer(place, ENV);
      }
      await waitFor('all deliveries to end', async () => {
        const waiting = await waitingFor(place, webhookId);
        attempts = await storedAttempts(place, webhookId);
        return waiting === 0 ? true : undefined;
      }).catch(() => undefined);
      receipts = await receiver.received(PATH);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await receiver?.stop();
      await place?.remove();
    });

    it('had deliveries in flight and more waiting at each kill', () => {
      assert.equal(cuts.length, KILLS);
      for (const { open, waiting } of cuts) {
        assert.ok(open > 0, 'no delivery was in flight');
        assert.ok(waiting > open, `${waiting} waited while ${open} were in flight`);
      }
    });

    it('leaves no delivery due or in flight', async () => {
      assert.equal(await waitingFor(place, webhookId), 0);
    });

    it('delivers every message at least once, always with the same bytes', () => {
      const bodies = Map.groupBy(receipts, ({ webhookId: messageId }) => messageId);
      assert.equal(bodies.size, MESSAGES);
      for (const same of bodies.values()) assert.equal(new Set(same.map(({ body }) => body)).size, 1);
    });

    it('records a success for every message, and only for responses with 2xx', () => {
      const successes = countBy(
        attempts.filter(({ success }) => success === 1),
        ({ message_id: messageId }) => messageId,
      );
      const answered = countBy(
        receipts.filter(({ status }) => status === 200),
        ({ webhookId: messageId }) => messageId,
      );
      assert.equal(successes.size, MESSAGES);
      for (const [messageId, count] of successes)
        assert.ok(count <= (answered.get(messageId) ?? 0), `${count} successes of ${messageId}`);
    });

    it('records every request that arrived at the receiver', () => {
      const recorded = countBy(attempts, ({ message_id: messageId }) => messageId);
      const received = countBy(receipts, ({ webhookId: messageId }) => messageId);
      for (const [messageId, count] of received)
        assert.ok((recorded.get(messageId) ?? 0) >= count, `${count} requests of ${messageId}`);
    });

    it('records each attempt that a kill interrupted as interrupted, and does not count it', () => {
      const failed = attempts.filter(({ success }) => success === 0);
      const refused = failed.filter(({ http_status: status }) => status === 500);
      const cut = failed.filter(({ http_status: status }) => status !== 500);
      assert.ok(cut.length >= KILLS, `only ${cut.length} attempts were interrupted`);
      for (const { http_status: status, error_message: error } of cut) {
        assert.equal(status, 0);
        assert.match(String(error), /interrupted/);
      }
      const refusals = countBy(refused, ({ message_id: messageId }) => messageId);
      for (const { message_id: messageId, attempt_number: number } of attempts)
        assert.ok(number <= 1 + (refusals.get(messageId) ?? 0), `attempt ${number} of ${messageId}`);
    });
  });

async function progress(receiver: ReceiverProcess, more: number): Promise<void> {
  const { arrived } = await receiver.state(PATH);
  await waitFor(
    'more requests to arrive',
    async () => ((await receiver.state(PATH)).arrived >= arrived + more ? true : undefined),
    { everyMs: 10, withinMs: 60_000 },
  );
}
