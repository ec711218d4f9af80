/** Faults of a delivery and the attempts recorded for them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { isoTime } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { freePort } from '../../helpers/free-port.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import {
  type Behaviour,
  HUGE_BYTES,
  type Receipt,
  useReceiverProcess,
} from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts } from '../../helpers/webhook-scene.ts';
import { CAUSES, deliveriesOf, newWebhook, passAttempts } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const BACKOFF_MS = [1_000, 5_000];
/** Timers may fire slightly before the time that the clock shows. */
const SLACK_MS = 50;
const TIMEOUT_MS = 10_000;
/** Messages that wait for one receiver that hangs. */
const WAITING = 20;
/** Of the clock, while attempts hang. */
const STEP_MS = 250;
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
  /** What is kept of the response. */
  readonly body?: RegExp;
  /** The number of attempts that reach the receiver as requests. */
  readonly arrive: number;
  readonly says: RegExp;
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
  { title: 'a 4xx', behaviour: answer(410), status: 410, body: /^thanks$/, arrive: 3, says: /410/ },
  { title: 'a 5xx', behaviour: answer(500), status: 500, body: /^thanks$/, arrive: 3, says: /500/ },
  {
    title: 'a 5xx that is cut off',
    behaviour: { kind: 'answer', status: 500, isCutOff: true },
    status: 500,
    body: /^x{500}$/,
    arrive: 3,
    says: /answered 500\. The connection was (reset|closed)/,
  },
  {
    title: 'a 5xx with a gigabyte of text',
    behaviour: { kind: 'huge', status: 500 },
    status: 500,
    body: /^x{16384}$/,
    arrive: 3,
    says: /500/,
  },
  {
    title: 'a reset half-way',
    behaviour: { kind: 'reset' },
    status: 200,
    body: /^x{500}$/,
    arrive: 3,
    says: /answered 200\. The connection was (reset|closed)/,
  },
  {
    title: 'no answer',
    behaviour: { kind: 'silent' },
    status: 0,
    arrive: 3,
    says: /10 s/,
  },
  {
    title: 'an endless response',
    behaviour: { kind: 'endless' },
    status: 200,
    body: /^thanks$/,
    arrive: 3,
    says: /answered 200\. No complete response within 10 s/,
  },
  {
    title: 'a response of a byte a second',
    behaviour: { kind: 'drip' },
    status: 200,
    body: /^thanks\.*$/,
    arrive: 3,
    says: /answered 200\. No complete response within 10 s/,
  },
];

/** Receivers that leave a request open until it times out. */
const HANGING = ['silent', 'endless', 'drip'];

const FAILED = 'webhook.delivery_failed';

for (const engine of engines)
  describe(`faults of webhook receivers on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    // Attempts time out and are retried when the test moves the clock.
    before(() => {
      world.clock.isStill = true;
    });

    const recordsOf = async (app: TestApp, id: string) =>
      (await deliveriesOf(world, app, id)).reverse() as unknown as Attempt[];
    const failuresOf = async (app: TestApp) =>
      (await world.call('GET', `/v1/audit-log?action=${FAILED}`, { key: app.keys.live })).body as {
        action: string;
        details: Record<string, unknown>;
      }[];

    /** Triggers one event for a webhook. */
    async function trigger(url: string) {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url });
      const firedAtMs = world.clock.nowMs();
      await CAUSES['install.organic'](world, app);
      return { app, id, firedAtMs };
    }

    /** Triggers one event and waits until its attempts have ended. */
    async function deliver(url: string) {
      const triggered = await trigger(url);
      await passAttempts(world, [triggered.id]);
      return { ...triggered, records: await recordsOf(triggered.app, triggered.id) };
    }

    /** Assertions for the attempts of every message. */
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

    describe('a message that fails in each of these ways', () => {
      const ended = new Map<string, { path: string } & Awaited<ReturnType<typeof trigger>>>();

      before(async () => {
        const receiver = receivers.get;
        const hanging: string[] = [];
        const hangingIds: string[] = [];
        for (const { title, behaviour, url } of CASES) {
          const path = `/${randomUUID()}`;
          if (behaviour !== undefined) await receiver.behave(path, behaviour);
          if (HANGING.includes(behaviour?.kind ?? '')) hanging.push(path);
          const address = await url?.({ port: receiver.port, path });
          const triggered = await trigger(address ?? receiver.url(path));
          if (hanging.includes(path)) hangingIds.push(triggered.id);
          ended.set(title, { path, ...triggered });
        }
        const open = async () => {
          const states = await Promise.all(hanging.map((path) => receiver.state(path)));
          return states.reduce((sum, state) => sum + state.open, 0);
        };
        const ids = [...ended.values()].map(({ id }) => id);
        await passAttempts(world, ids, { hanging: { webhookIds: hangingIds, open } });
      });

      for (const { title, status, body, arrive, says } of CASES)
        it(`${title}: three attempts with the same bytes, 1 s and 5 s apart, then an entry in the audit log`, async () => {
          const of = ended.get(title);
          assert.ok(of);
          const { app, id, path } = of;
          const records = await recordsOf(app, id);
          assert.equal(records.length, 3);
          for (const record of records) {
            assert.deepEqual([record.success, record.http_status], [false, status]);
            assert.match(String(record.error_message), says);
            if (status === 0) assert.equal(record.response_body, '');
            if (body !== undefined) assert.match(record.response_body, body);
          }
          const receipts = await receivers.get.received(path);
          assert.equal(receipts.length, arrive);
          await assertAttempts({ ...of, records }, receipts);
          const entries = await failuresOf(app);
          assert.equal(entries.length, 1);
          const { webhookId, attempts, httpStatus } = entries[0]?.details ?? {};
          assert.deepEqual([webhookId, attempts, httpStatus], [id, 3, status]);
        });
    });

    it(`${WAITING} messages to a receiver that hangs are each retried 1 s, then 5 s after the failure before`, async () => {
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, { kind: 'silent' });
      const app = await world.newApp();
      const fields = { url: receivers.get.url(path), events: ['event.recorded'] };
      const { id } = await newWebhook(world, app, fields);
      const { installId } = (await world.install(app)).body;
      const events = Array.from({ length: WAITING }, (_, nth) => ({ installId, eventName: `event ${nth}` }));
      const call = { key: app.keys.live_publishable, from: freshAddress(), body: { events } };
      assert.equal((await world.call('POST', '/v1/sdk/events', call)).status, 200);
      const countLogged = async () => {
        const attempts = world.service.db
          .selectFrom('webhook_attempts')
          .select(({ fn }) => fn.countAll().as('n'));
        const { n } = await attempts.where('webhook_id', '=', id).executeTakeFirstOrThrow();
        return Number(n);
      };
      const isSettled = async () => {
        const queued = await world.service.db
          .selectFrom('webhook_queue')
          .select(['status', 'next_attempt_at'])
          .where('webhook_id', '=', id)
          .execute();
        const now = isoTime(world.clock.nowMs());
        const inFlight = queued.filter(({ status }) => status === 1).length;
        return (
          queued.every(({ status, next_attempt_at: at }) => status === 1 || at > now) &&
          inFlight === (await receivers.get.state(path)).open
        );
      };
      // The clock moves on once all that is due is in flight.
      while ((await countLogged()) < 3 * WAITING) {
        await waitFor('what is due', async () => ((await isSettled()) ? true : undefined), { everyMs: 5 });
        world.clock.advance(STEP_MS);
      }
      const records = await recordsOf(app, id);
      const messages = [...Map.groupBy(records, (record) => record.request_body).values()];
      assert.equal(messages.length, WAITING);
      for (const attempts of messages) {
        const [first = 0, second = 0, third = 0] = attempts.map((record) => Date.parse(record.created_at));
        const lateMs = [second - first - TIMEOUT_MS - 1_000, third - second - TIMEOUT_MS - 5_000];
        // After another attempt that hangs, a retry would be late by a timeout or more.
        for (const each of lateMs) assert.ok(each >= -SLACK_MS && each < TIMEOUT_MS, `${lateMs} ms late`);
      }
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
      const triggered = await trigger(`http://127.0.0.1:${port}${path}`);
      await waitFor(
        'the first attempt to fail',
        async () => ((await storedAttempts(world.place, triggered.id)).length === 1 ? true : undefined),
        { everyMs: 20 },
      );
      await receiver.listen(port);
      await passAttempts(world, [triggered.id]);
      await receiver.unlisten(port);
      const delivered = { ...triggered, records: await recordsOf(triggered.app, triggered.id) };
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
  });
