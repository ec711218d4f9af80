/** The real process is killed while it delivers, again and again; every message must arrive, and the log must not lie. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_ENV } from './contract/webhook-receiver.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { type RunningServer, startServer } from './process.ts';
import { waitFor } from './wait-for.ts';
import { type Receipt, ReceiverProcess } from './webhook-receiver-process.ts';
import {
  callServer,
  countBy,
  installOn,
  type StoredAttempt,
  sendBatches,
  storedAttempts,
  waitingFor,
} from './webhook-scene.ts';

const KILLS = 10;
const BATCHES = 4;
const MESSAGES = BATCHES * 500;
const PATH = '/kills';
/** Slow enough that some are under way at any moment. */
const ANSWER = { kind: 'answer', status: 200, afterMs: 250, refusesOneOf: 50 } as const;
/** So much arrives after each start before the kill, and so much more by chance. */
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
      // So that most are still waiting when the last batch is in.
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
      await waitFor('nothing is due and no attempt is under way', async () => {
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

    it('had deliveries under way and more waiting when it was killed, each time', () => {
      assert.equal(cuts.length, KILLS);
      for (const { open, waiting } of cuts) {
        assert.ok(open > 0, 'none was under way');
        assert.ok(waiting > open, `${waiting} waited while ${open} were under way`);
      }
    });

    it('leaves nothing that is still due or still under way', async () => {
      assert.equal(await waitingFor(place, webhookId), 0);
    });

    it('delivers every message at least once, with the bytes it had the first time', () => {
      const bodies = Map.groupBy(receipts, ({ webhookId: messageId }) => messageId);
      assert.equal(bodies.size, MESSAGES);
      for (const same of bodies.values()) assert.equal(new Set(same.map(({ body }) => body)).size, 1);
    });

    it('has a successful record of every message, and none that the receiver did not answer with 2xx', () => {
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

    it('has a record of every request that the receiver got', () => {
      const recorded = countBy(attempts, ({ message_id: messageId }) => messageId);
      const received = countBy(receipts, ({ webhookId: messageId }) => messageId);
      for (const [messageId, count] of received)
        assert.ok((recorded.get(messageId) ?? 0) >= count, `${count} requests of ${messageId}`);
    });

    it('says of each attempt that a kill cut that it was interrupted, and does not count it', () => {
      const failed = attempts.filter(({ success }) => success === 0);
      const refused = failed.filter(({ http_status: status }) => status === 500);
      const cut = failed.filter(({ http_status: status }) => status !== 500);
      assert.ok(cut.length >= KILLS, `only ${cut.length} attempts were cut`);
      for (const { http_status: status, error_message: error } of cut) {
        assert.equal(status, 0);
        assert.match(String(error), /interrupted/);
      }
      const refusals = countBy(refused, ({ message_id: messageId }) => messageId);
      for (const { message_id: messageId, attempt_number: number } of attempts)
        assert.ok(number <= 1 + (refusals.get(messageId) ?? 0), `attempt ${number} of ${messageId}`);
    });
  });

/** Waits until so many more requests have arrived. */
async function progress(receiver: ReceiverProcess, more: number): Promise<void> {
  const { arrived } = await receiver.state(PATH);
  await waitFor(
    'more requests arrive',
    async () => ((await receiver.state(PATH)).arrived >= arrived + more ? true : undefined),
    { everyMs: 10, withinMs: 60_000 },
  );
}
