/** Faults of a delivery and the attempts recorded for them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { freePort } from '../../helpers/free-port.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import {
  type Behaviour,
  HUGE_BYTES,
  type Receipt,
  useReceiverProcess,
} from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../../helpers/webhook-scene.ts';
import { CAUSES, deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const BACKOFF_MS = [1_000, 5_000];
/** Timers may fire slightly before the time that the clock shows. */
const SLACK_MS = 50;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Far below the gigabyte of the response, far above the needs of a test run. */
const MAX_GROWTH_BYTES = 256 * 1024 ** 2;
const SENTENCE = /^[A-Z].+\.$/s;

interface Attempt {
  readonly http_status: number;
  readonly response_body: string;
  readonly request_body: string;
  readonly error_message: string | null;
  readonly attempt_number: number;
  readonly success: boolean;
  readonly duration_ms: number;
  readonly created_at: string;
}

interface Case {
  readonly title: string;
  readonly behaviour?: Behaviour;
  readonly url?: (at: { port: number; path: string }) => string | Promise<string>;
  readonly status: number;
  /** The number of attempts that reach the receiver as requests. */
  readonly arrive: number;
  readonly says: RegExp;
  readonly minDurationMs?: number;
}

const answer = (status: number): Behaviour => ({ kind: 'answer', status });

const CASES: readonly Case[] = [
  {
    title: 'a refused connection',
    url: async ({ path }) => `http://127.0.0.1:${await freePort()}${path}`,
    status: 0,
    arrive: 0,
    says: /refused/,
  },
  {
    title: 'a port that does not speak TLS',
    url: ({ port, path }) => `https://127.0.0.1:${port}${path}`,
    status: 0,
    arrive: 0,
    says: SENTENCE,
  },
  {
    title: 'an unknown host name',
    url: ({ path }) => `http://no-such-host.invalid${path}`,
    status: 0,
    arrive: 0,
    says: SENTENCE,
  },
  {
    title: 'a redirect',
    behaviour: { kind: 'answer', status: 307, headers: { location: '/followed' } },
    status: 307,
    arrive: 3,
    says: /307.*Redirects are not followed/,
  },
  { title: 'a 4xx', behaviour: answer(410), status: 410, arrive: 3, says: /410/ },
  { title: 'a 5xx', behaviour: answer(503), status: 503, arrive: 3, says: /503/ },
  {
    title: 'a 5xx with a gigabyte of text',
    behaviour: { kind: 'huge', status: 500 },
    status: 500,
    arrive: 3,
    says: /500/,
  },
  {
    title: 'a reset half-way',
    behaviour: { kind: 'reset' },
    status: 0,
    arrive: 3,
    says: /reset|closed/,
  },
  {
    title: 'no answer',
    behaviour: { kind: 'silent' },
    status: 0,
    arrive: 3,
    says: /10 s/,
    minDurationMs: TIMEOUT_MS,
  },
  {
    title: 'an endless response',
    behaviour: { kind: 'endless' },
    status: 0,
    arrive: 3,
    says: /10 s/,
    minDurationMs: TIMEOUT_MS,
  },
  {
    title: 'a response of a byte a second',
    behaviour: { kind: 'drip' },
    status: 0,
    arrive: 3,
    says: /10 s/,
    minDurationMs: TIMEOUT_MS,
  },
];

const FAILED = 'webhook.delivery_failed';

for (const engine of engines)
  describe(`faults of webhook receivers on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    const recordsOf = async (app: TestApp, id: string) =>
      (await deliveriesOf(world, app, id)).reverse() as unknown as Attempt[];
    const failuresOf = async (app: TestApp) =>
      (await world.call('GET', `/v1/audit-log?action=${FAILED}`, { key: app.keys.live })).body as {
        action: string;
        details: Record<string, unknown>;
      }[];

    /** Triggers one event and waits until its delivery has ended. */
    async function deliver(url: string) {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url });
      const firedAtMs = Date.now();
      await CAUSES['install.organic'](world, app);
      const records = await waitFor(`the end of a delivery to ${url}`, async () => {
        const all = await recordsOf(app, id);
        return all.length > 0 && (await waitingFor(world.place, id)) === 0 ? recordsOf(app, id) : undefined;
      });
      return { app, id, records, firedAtMs };
    }

    /** Assertions for the attempts of every delivery. */
    async function assertAttempts(
      { id, records, firedAtMs }: Awaited<ReturnType<typeof deliver>>,
      receipts: readonly Receipt[],
    ) {
      assert.deepEqual(
        records.map((record) => record.attempt_number),
        records.map((_, nth) => nth + 1),
      );
      for (const [nth, record] of records.entries()) {
        const previous = records[nth - 1];
        const endedMs =
          previous === undefined ? firedAtMs : Date.parse(previous.created_at) + previous.duration_ms;
        const waitedMs = Date.parse(record.created_at) - endedMs;
        const mustMs = previous === undefined ? 0 : (BACKOFF_MS[nth - 1] ?? 0);
        assert.ok(waitedMs >= mustMs - SLACK_MS, `attempt ${nth + 1} began ${waitedMs} ms after`);
        if (record.success) assert.equal(record.error_message, null);
        else assert.match(String(record.error_message), SENTENCE);
        assert.ok(Buffer.byteLength(record.response_body) <= MAX_RESPONSE_BYTES);
      }
      const stored = await storedAttempts(world.place, id);
      assert.equal(stored.length, records.length, 'the list lacks stored attempts');
      const [messageId] = stored.map((attempt) => attempt.message_id);
      for (const attempt of stored) assert.equal(attempt.message_id, messageId);
      for (const { request_body } of records) assert.equal(request_body, records[0]?.request_body);
      for (const { webhookId, body } of receipts) {
        assert.equal(webhookId, messageId);
        assert.equal(Buffer.from(body, 'base64').toString(), records[0]?.request_body);
      }
    }

    for (const { title, behaviour, url, status, arrive, says, minDurationMs = 0 } of CASES)
      it(`${title}: three attempts with the same bytes, 1 s and 5 s apart, then an entry in the audit log`, async () => {
        const receiver = receivers.get;
        const path = `/${randomUUID()}`;
        if (behaviour !== undefined) await receiver.behave(path, behaviour);
        const target = url === undefined ? receiver.url(path) : await url({ port: receiver.port, path });
        const delivered = await deliver(target);
        const { app, id, records } = delivered;
        assert.equal(records.length, 3);
        for (const record of records) {
          assert.deepEqual([record.success, record.http_status], [false, status]);
          assert.match(String(record.error_message), says);
          if (status === 0) assert.equal(record.response_body, '');
          assert.ok(record.duration_ms >= minDurationMs - SLACK_MS, `ended after ${record.duration_ms} ms`);
        }
        const receipts = await receiver.received(path);
        assert.equal(receipts.length, arrive);
        await assertAttempts(delivered, receipts);
        const entries = await failuresOf(app);
        assert.equal(entries.length, 1);
        const { webhookId, attempts, httpStatus } = entries[0]?.details ?? {};
        assert.deepEqual([webhookId, attempts, httpStatus], [id, 3, status]);
      });

    it('the target of a redirect is never requested', async () => {
      const path = `/${randomUUID()}`;
      const location = `/${randomUUID()}`;
      await receivers.get.behave(path, { kind: 'answer', status: 302, headers: { location } });
      await deliver(receivers.get.url(path));
      assert.equal((await receivers.get.received(location)).length, 0);
    });

    it('a response of a gigabyte counts by its status, and fills neither memory nor the log', async () => {
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, { kind: 'huge', status: 200 });
      const startBytes = process.memoryUsage.rss();
      let peakBytes = startBytes;
      const timer = setInterval(() => {
        peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      }, 20);
      const delivered = await deliver(receivers.get.url(path));
      clearInterval(timer);
      const [record] = delivered.records;
      assert.equal(delivered.records.length, 1);
      assert.deepEqual([record?.success, record?.http_status], [true, 200]);
      assert.ok(Buffer.byteLength(record?.response_body ?? '') <= MAX_RESPONSE_BYTES);
      assert.ok(peakBytes - startBytes < MAX_GROWTH_BYTES, `grew by ${peakBytes - startBytes} bytes`);
      const receipts = await waitFor('the sender to close the connection', async () => {
        const all = await receivers.get.received(path);
        return all.every(({ sentBytes }) => sentBytes > 0) ? all : undefined;
      });
      await assertAttempts(delivered, receipts);
      for (const { sentBytes } of receipts) assert.ok(sentBytes < HUGE_BYTES / 4, `${sentBytes} were sent`);
      assert.deepEqual(await failuresOf(delivered.app), []);
    });

    it('a receiver that restarts gets the second attempt, and no third', async () => {
      const receiver = receivers.get;
      const path = `/${randomUUID()}`;
      const port = await freePort();
      // Opens the port once and closes it, as a restart does.
      await receiver.listen(port);
      await receiver.unlisten(port);
      const delivering = deliver(`http://127.0.0.1:${port}${path}`);
      await waitFor(
        'the first attempt to fail',
        async () => {
          const rows = await storedUrls(port);
          return rows > 0 ? true : undefined;
        },
        { everyMs: 20 },
      );
      await receiver.listen(port);
      const delivered = await delivering;
      await receiver.unlisten(port);
      assert.deepEqual(
        delivered.records.map(({ success, http_status: status }) => [success, status]),
        [
          [false, 0],
          [true, 200],
        ],
      );
      const receipts = await receiver.received(path);
      assert.equal(receipts.length, 1);
      await assertAttempts(delivered, receipts);
      assert.deepEqual(await failuresOf(delivered.app), []);
    });

    /** The number of completed attempts to that port. */
    async function storedUrls(port: number): Promise<number> {
      const rows = await queryStored(
        world.place,
        `select id from webhook_attempts where webhook_url like 'http://127.0.0.1:${port}/%'`,
      );
      return rows.length;
    }
  });
