import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ConversionValue, Ports, Throughline } from '../src/index.ts';
import { endClients, fault, Phone, settle } from './phone.ts';

after(endClients);

const DAY_MS = 86_400_000;
const PATH = '/v1/sdk/conversion-schema';
const NONE = { fine: [], coarse: { low: null, medium: null, high: null } };
const range = (from: number, to: number, eventName: string, more = {}) => ({
  ...{ from, to, eventName, minRevenue: null, lock: false },
  ...more,
});
const SCHEMA = [
  {
    fine: [
      range(1, 3, 'purchase'),
      range(10, 20, 'big', { minRevenue: { amount: '10.00', currency: 'EUR' } }),
      range(60, 63, 'vip', { lock: true }),
    ],
    coarse: { low: null, medium: 'sign_up', high: 'purchase' },
  },
  {
    fine: [range(5, 5, 'vip', { lock: true }), range(6, 6, 'other')],
    coarse: { low: null, medium: 'purchase', high: null },
  },
  NONE,
];

/** An iPhone whose service tells a schema. */
class Scene {
  readonly phone = new Phone();
  readonly values: string[] = [];
  readonly asked: (string | null)[] = [];
  windows: object[] = SCHEMA;
  /** Of the port. */
  take: () => Promise<void> = async () => {};
  /** Null for the answer of the service. */
  reply: ReturnType<typeof fault> | null = null;
  client: Throughline;

  constructor(config = {}) {
    this.client = this.launch(config);
  }

  launch(config = {}, ports: Ports = {}): Throughline {
    const conversion = async ({ fine, coarse, lock }: ConversionValue) => {
      await this.take();
      this.values.push(`${fine} ${coarse}${lock ? ' lock' : ''}`);
    };
    this.client = this.phone.launch(config, { conversion, fetch: this.#fetch, ...ports });
    return this.client;
  }

  async track(...names: string[]): Promise<string[]> {
    for (const name of names) this.client.track(name);
    await settle();
    return this.values;
  }

  readonly #fetch: NonNullable<Ports['fetch']> = async (url, { headers, body = '{}' }) => {
    const { pathname } = new URL(url);
    let reply = this.reply ?? this.phone.service.answer(pathname, JSON.parse(body));
    if (pathname === PATH) {
      const tag = headers['if-none-match'] ?? null;
      this.asked.push(tag);
      const etag = String(JSON.stringify(this.windows)?.length);
      reply =
        this.reply ??
        (tag === etag
          ? { status: 304, body: '' }
          : { status: 200, body: { windows: this.windows }, headers: { etag } });
    }
    const text = typeof reply.body === 'string' ? reply.body : (JSON.stringify(reply.body) ?? '');
    return { status: reply.status, headers: new Headers(reply.headers), text: async () => text };
  };
}

describe('conversion values', () => {
  it('begin with 0 and low, climb with the events of the schema, and never fall', async () => {
    const scene = new Scene();
    assert.deepEqual(await scene.track(), ['0 low']);
    assert.deepEqual(await scene.track('unknown', 'sign_up'), ['0 low', '0 medium']);
    for (const name of ['purchase', 'purchase', 'purchase', 'purchase', 'sign_up']) await scene.track(name);
    assert.deepEqual(scene.values.slice(2), ['1 high', '2 high', '3 high']);
  });

  it('count revenue by its currency as exact decimals, less refunds', async () => {
    const scene = new Scene();
    const pay = (amount: string, currency = 'EUR') => scene.client.track('big', {}, { amount, currency });
    for (const amount of ['0.1', '0.2', '9.70', '-0.0001']) pay(amount);
    pay('500', 'USD');
    assert.deepEqual(await scene.track(), ['0 low']);
    pay('0.0001');
    assert.deepEqual(await scene.track(), ['0 low', '14 low']);
  });

  it('stop in a window with lock', async () => {
    const scene = new Scene();
    await scene.track();
    assert.deepEqual(await scene.track('vip', 'vip', 'purchase'), ['0 low', '60 low lock']);
  });

  it('in later windows have the fine value of the first, and come only if something is reached', async () => {
    const scene = new Scene();
    await scene.track();
    await scene.track('purchase');
    scene.phone.nowMs += 2 * DAY_MS;
    scene.launch();
    await settle();
    assert.deepEqual(await scene.track('other', 'sign_up'), ['0 low', '1 high']);
    assert.deepEqual((await scene.track('purchase')).slice(2), ['1 medium']);
    assert.deepEqual((await scene.track('vip', 'purchase')).slice(3), ['1 medium lock']);
    scene.phone.nowMs -= 2 * DAY_MS;
    assert.deepEqual((await scene.track('purchase')).slice(4), ['2 high']);
    for (const days of [7, 35]) {
      scene.phone.nowMs += days * DAY_MS;
      await scene.track('purchase', 'vip');
    }
    assert.equal(scene.values.length, 5);
  });

  it('count what was tracked before the schema came, and set it at once', async () => {
    const scene = new Scene();
    scene.reply = fault(503, 'service.unavailable');
    assert.deepEqual(await scene.track('purchase', 'purchase', '__proto__', 'constructor'), []);
    scene.reply = null;
    scene.launch();
    assert.deepEqual(await scene.track(), ['2 high']);
    assert.deepEqual(await scene.track('purchase'), ['2 high', '3 high']);
  });

  it('wait for an answer that is a schema', async () => {
    const scene = new Scene();
    for (const windows of [undefined, [null], [{ fine: [null], coarse: {} }], [{ fine: [] }]]) {
      scene.windows = windows as never;
      scene.launch();
      assert.deepEqual(await scene.track('purchase'), []);
    }
    scene.windows = SCHEMA;
    scene.launch();
    assert.deepEqual(await scene.track(), ['3 high']);
  });

  it('are never set for an app that names none', async () => {
    const scene = new Scene();
    scene.windows = [NONE, NONE, NONE];
    await scene.track('purchase');
    scene.launch();
    assert.deepEqual(await scene.track('purchase'), []);
  });
});

describe('the state of conversion values', () => {
  it('over restarts: nothing is set again, and the schema is asked for once a day with its ETag', async () => {
    const scene = new Scene();
    await scene.track();
    await scene.track('purchase');
    scene.launch();
    await scene.track();
    assert.deepEqual([scene.values, scene.asked.length], [['0 low', '1 high'], 1]);
    scene.phone.nowMs += DAY_MS;
    await scene.client.flush();
    scene.phone.nowMs += DAY_MS / 2;
    scene.launch();
    assert.deepEqual((await scene.track('purchase')).slice(2), ['2 high']);
    assert.equal(scene.asked.length, 2);
    assert.ok(scene.asked[1], 'the ETag');
  });

  it('a reset forgets the counts, and keeps what Apple has', async () => {
    const scene = new Scene();
    await scene.track();
    await scene.track('purchase', 'purchase');
    await scene.client.reset();
    assert.deepEqual((await scene.track('purchase', 'purchase')).slice(-1), ['2 high']);
    assert.deepEqual((await scene.track('purchase')).slice(-1), ['3 high']);
    assert.equal(scene.values.filter((value) => value === '0 low').length, 1);
  });

  it('without consent nothing is asked for or set, and a refusal erases the counts', async () => {
    for (const consent of ['denied', 'pending'] as const) {
      const scene = new Scene({ consent });
      assert.deepEqual(await scene.track('purchase', 'purchase'), []);
      assert.equal(scene.asked.length, 0);
      if (consent === 'pending') await scene.client.setConsent('denied');
      await scene.client.setConsent('deterministic-only');
      assert.deepEqual(await scene.track(), ['0 low'], consent);
      await scene.track('purchase');
      await scene.client.setConsent('denied');
      await scene.client.setConsent('granted');
      assert.deepEqual(await scene.track('purchase'), ['0 low', '1 high']);
    }
  });

  it('that an earlier version stored gets its first start now', async () => {
    const scene = new Scene();
    await settle();
    const key = 'throughline.state';
    const { conversion: _, ...state } = JSON.parse(scene.phone.stored.get(key) ?? '');
    scene.values.length = 0;
    scene.phone.kill();
    scene.phone.stored.set(key, JSON.stringify(state));
    scene.phone.nowMs += 100 * DAY_MS;
    scene.launch();
    assert.deepEqual(await scene.track('purchase'), ['1 high']);
  });

  it('after a first start whose clock was not set begins with the start that has the time', async () => {
    const scene = new Scene();
    scene.phone.nowMs = Date.UTC(2023, 11, 31);
    assert.deepEqual(await scene.track('purchase'), ['1 high']);
    scene.phone.nowMs = Date.UTC(2026, 10, 25);
    scene.launch();
    assert.deepEqual(await scene.track('purchase'), ['1 high', '2 high']);
    scene.phone.nowMs += 3 * DAY_MS;
    assert.deepEqual((await scene.track('purchase')).slice(2), ['2 medium']);
  });

  it('a value that the port refuses is told once, and tried again at the next event or start', async () => {
    const scene = new Scene();
    scene.take = () => Promise.reject(new Error('no'));
    await scene.track();
    await scene.track('purchase');
    await scene.track('purchase');
    assert.equal(scene.phone.log.filter(({ message }) => message.includes('was not set')).length, 1);
    scene.take = async () => {};
    scene.launch();
    assert.deepEqual(await scene.track(), ['2 high']);
  });

  it('counts events from before the storage answered, once', async () => {
    const scene = new Scene();
    await scene.track();
    await scene.track('purchase');
    await scene.client.shutdown();
    const stored = scene.phone.stored.get('throughline.state') ?? null;
    let answer = (_text: string | null) => {};
    const waited = new Promise<string | null>((resolve) => {
      answer = resolve;
    });
    scene.launch(
      {},
      {
        storage: {
          getItem: (key) => (key.endsWith('state') ? waited : null),
          setItem: async () => {},
          removeItem: async () => {},
        },
      },
    );
    assert.deepEqual(await scene.track('purchase'), ['0 low', '1 high']);
    answer(stored);
    assert.deepEqual(await scene.track(), ['0 low', '1 high', '2 high']);
  });

  it('belongs to the first client on a storage; a second one sets nothing', async () => {
    const scene = new Scene();
    const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
    scene.launch({}, { storage });
    await scene.track();
    scene.values.length = 0;
    scene.launch({}, { storage });
    assert.deepEqual(await scene.track('purchase', 'vip'), []);
  });
});
