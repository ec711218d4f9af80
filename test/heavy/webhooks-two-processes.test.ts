/** Two processes on one PostgreSQL share the deliveries of one webhook. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type Receipt, ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import {
  callServer,
  countBy,
  installOn,
  sendBatches,
  storedAttempts,
  waitingFor,
} from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const BATCHES = 2;
const MESSAGES = BATCHES * 500;
/** The minimum of messages that each process delivers. */
const SHARE = 50;

/** Each process may reach only one address of `localhost`, so that the receiver can tell them apart. */
const ENVS = {
  IPv4: { BOOTSTRAP_LIVE_KEY: KEY, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  IPv6: { BOOTSTRAP_LIVE_KEY: KEY, WEBHOOK_ALLOW_CIDRS: '::1/128' },
};

if (engines.includes('postgres'))
  describe('two processes that deliver from one PostgreSQL', () => {
    let places: Place[] = [];
    let receiver: ReceiverProcess;
    let first: RunningServer;
    let second: RunningServer;
    let installId = '';

    before(async () => {
      const place = await makePlace('postgres');
      // The second process has its own data directory.
      const other = await makePlace('sqlite');
      places = [place, other];
      receiver = await ReceiverProcess.start();
      first = await startServer(place, ENVS.IPv4);
      second = await startServer(place, { ...ENVS.IPv6, DATA_DIR: other.dataDir });
      installId = await installOn(first, KEY);
    });
    after(async () => {
      await first?.end('SIGKILL');
      await second?.end('SIGKILL');
      await receiver?.stop();
      for (const place of places) await place.remove();
    });

    async function newHook(path: string, afterMs: number): Promise<{ id: string; path: string }> {
      await receiver.behave(path, { kind: 'answer', status: 200, afterMs });
      const url = receiver.url(path, { host: 'localhost' });
      const body = { url, secret: 'a secret', events: ['event.recorded'] };
      return { id: (await callServer(first, KEY, ['POST', '/v1/webhooks', body])).id, path };
    }

    const nothingWaits = (id: string) =>
      waitFor('all deliveries to end', async () =>
        (await waitingFor(places[0] as Place, id)) === 0 ? true : undefined,
      );
    const byMessage = (receipts: readonly Receipt[]) => countBy(receipts, ({ webhookId }) => webhookId);
    const byProcess = (receipts: readonly Receipt[]) => countBy(receipts, ({ family }) => family);

    it('share the work, and every message arrives exactly once', async () => {
      const hook = await newHook('/shared', 200);
      await sendBatches(first, { key: KEY, installId, batches: BATCHES });
      await nothingWaits(hook.id);
      const receipts = await receiver.received(hook.path);
      assert.equal(byMessage(receipts).size, MESSAGES);
      assert.equal(receipts.length, MESSAGES, 'a message was sent twice');
      for (const family of ['IPv4', 'IPv6']) {
        const share = byProcess(receipts).get(family) ?? 0;
        assert.ok(share >= SHARE, `the process on ${family} delivered ${share}`);
      }
      const attempts = await storedAttempts(places[0] as Place, hook.id);
      assert.equal(attempts.length, MESSAGES);
      assert.ok(attempts.every(({ success }) => success === 1));
      await callServer(first, KEY, ['DELETE', `/v1/webhooks/${hook.id}`]);
    });

    it('when one is killed, the other finishes and resends the interrupted deliveries', async () => {
      const hook = await newHook('/killed', 300);
      await sendBatches(first, { key: KEY, installId, batches: BATCHES });
      await waitFor('both deliver', async () => {
        const shares = byProcess(await receiver.received(hook.path));
        return (shares.get('IPv4') ?? 0) > SHARE && (shares.get('IPv6') ?? 0) > SHARE ? true : undefined;
      });
      await first.end('SIGKILL');
      const waiting = await waitingFor(places[0] as Place, hook.id);
      assert.ok(waiting > 0, 'no delivery was left to finish');
      await nothingWaits(hook.id);
      const messages = byMessage(await receiver.received(hook.path));
      assert.equal(messages.size, MESSAGES);
      const attempts = await storedAttempts(places[0] as Place, hook.id);
      const successes = attempts.filter(({ success }) => success === 1);
      assert.equal(new Set(successes.map(({ message_id: messageId }) => messageId)).size, MESSAGES);
      for (const { success, error_message: error } of attempts)
        if (success === 0) assert.match(String(error), /interrupted/);
    });
  });
