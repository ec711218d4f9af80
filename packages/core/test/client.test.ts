import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createThroughline } from '../src/index.ts';
import { BASE_URL, FakeService, type Fate, LINK, Phone, settle } from './phone.ts';

const PAYLOAD = { deepLinkPath: '/welcome', deepLinkParams: { code: 'x' }, isDeferred: true };
const UNAVAILABLE: Fate = {
  status: 503,
  body: { error: 'The database is away.' },
  headers: { 'retry-after': '30' },
};
const LOGIN_PAGE: Fate = { status: 200, body: '<html>Please log in</html>' };

describe('a kill of the app', () => {
  for (const [name, url] of [['link of a URL', LINK] as const, ['deferred link', null] as const])
    it(`between any two writes or requests loses and repeats no install, open, event or ${name}`, async () => {
      let twice = 0;
      for (let killAt = 0; killAt < 60; killAt++) {
        const service = new FakeService();
        service.payload = PAYLOAD;
        const phone = new Phone(service);
        phone.killAt = killAt;
        const links = { initial: async () => url, subscribe: () => () => {}, launchId: () => 'a' };
        const use = async () => {
          const client = phone.launch({}, { links });
          void client.flush();
          await settle();
          return client;
        };
        const first = await use();
        first.track('one');
        first.track('two', { n: 2 });
        await settle();
        void first.flush();
        await settle();
        const wasKilled = phone.steps > killAt;
        const storedEvents = [...phone.stored].filter(([key]) => key.includes('events')).join();
        phone.kill();
        phone.killAt = Number.POSITIVE_INFINITY;
        await use();
        await use();

        const at = `killed at step ${killAt}`;
        assert.equal(service.installs.size, 1, at);
        const names = service.events
          .map(({ eventName }) => eventName)
          .filter((name) => name !== 'session_start');
        if (!wasKilled) assert.deepEqual(names, ['one', 'two']);
        assert.equal(new Set(names).size, names.length, `${at}: no event twice`);
        for (const name of ['one', 'two'])
          if (storedEvents.includes(`"${name}"`))
            assert.ok(names.includes(name), `${at}: ${name} was stored`);
        // A process that dies while it notes the delivery delivers again: a link twice is better than none.
        const deliveries = wasKilled ? [1, 2] : [1];
        const deferred = phone.delivered.filter((link) => link.deferred);
        const direct = phone.delivered.filter(({ url }) => url === LINK);
        const [given, other] = url === null ? [deferred, direct] : [direct, deferred];
        assert.ok(deliveries.includes(given.length), `${at}: ${given.length} links`);
        assert.equal(other.length, 0, `${at}: the deferred link is not for listeners beside a URL`);
        twice += given.length - 1;
        assert.equal(service.opens.size, url === null ? 0 : 1, `${at}: the open`);
      }
      assert.ok(twice <= 4, `${twice} deliveries were repeated`);
    });
});

describe('the metadata of a link', () => {
  it('are in the link that opened the app, whichever call answered, and in no link without any', async () => {
    const metadata = { invitedBy: '01985f2e-9c5b-7a0e-8f11-6d7c8b9a0f1e' };
    const attributed = { attributed: true, method: 'CLICK_ID', deepLinkPayload: PAYLOAD };
    for (const [url, body, told] of [
      [LINK, { ...PAYLOAD, metadata }, metadata],
      [LINK, { ...PAYLOAD, metadata: {} }, undefined],
      [LINK, PAYLOAD, undefined],
      ['shop://new?svc_click_id=1', { ...attributed, metadata }, metadata],
      ['shop://new?svc_click_id=1', { ...attributed, metadata: {} }, undefined],
    ] as const) {
      const phone = new Phone();
      phone.fateOf = (_request, path) => (/resolve$|open$/.test(path) ? { status: 200, body } : 'answered');
      const link = await phone.launch().handleUrl(url);
      assert.equal(link?.path, PAYLOAD.deepLinkPath);
      assert.deepEqual(link?.metadata, told);
    }
  });
});

describe('the first open', () => {
  for (const [name, fate] of Object.entries({
    'lost request': 'lost',
    'lost answer': 'answer lost',
    503: UNAVAILABLE,
    'login page': LOGIN_PAGE,
  } as Record<string, Fate>))
    it(`is recorded once with the same ID after a ${name}, at the next start at the latest`, async () => {
      const phone = new Phone();
      phone.service.payload = PAYLOAD;
      phone.service.method = 'FINGERPRINT';
      phone.fateOf = (request) => (request === 0 ? fate : 'answered');
      const client = phone.launch({ firstOpenTimeoutMs: 20 });
      assert.equal((await client.firstOpen()).pending, true);
      phone.kill();
      const answer = await phone.launch().firstOpen();
      assert.equal(answer.pending, false);
      assert.equal(answer.confidence, 0.913);
      assert.equal(phone.service.installs.size, 1);
      assert.deepEqual(await phone.launch().firstOpen(), answer, 'the same for ever');
      assert.deepEqual(
        phone.delivered.map(({ path }) => path),
        ['/welcome'],
      );
    });

  it('goes without the referrer of a store that does not answer within 3 s', async () => {
    const phone = new Phone();
    const client = phone.launch({ firstOpenTimeoutMs: 5_000 }, { referrer: () => new Promise(() => {}) });
    assert.equal((await client.firstOpen()).pending, false);
    assert.equal(phone.service.installs.size, 1);
  });

  it('sends the referrer with the time of the install, and the token of the clipboard alone', async () => {
    const phone = new Phone();
    const referrer = async () => ({
      installReferrer: 'svc_click_id=1',
      installBeganAt: '2026-11-24T23:00:00Z',
      serverInstallBeganAt: '2026-11-24T22:00:00Z',
    });
    const clipboard = async () => `my password is 123 ${LINK}?svc_click_id=token`;
    await phone.launch({}, { referrer, clipboard }).firstOpen();
    const { fingerprint, installId, sentAt, ...rest } = [...phone.service.installs.values()][0] ?? {};
    assert.deepEqual(rest, {
      installReferrer: 'svc_click_id=1',
      installBeginTimestampSeconds: Date.UTC(2026, 10, 24, 23) / 1_000,
      installBeginTimestampServerSeconds: Date.UTC(2026, 10, 24, 22) / 1_000,
      clickId: `${LINK}?svc_click_id=token`,
    });
  });
});

describe('links', () => {
  it('wait for the first listener, over restarts', async () => {
    const phone = new Phone();
    phone.service.payload = PAYLOAD;
    const silent = phone.create();
    await silent.firstOpen();
    phone.kill();
    phone.launch();
    await settle();
    phone.kill();
    phone.launch();
    await settle();
    assert.deepEqual(
      phone.delivered.map(({ path, deferred }) => ({ path, deferred })),
      [{ path: '/welcome', deferred: true }],
    );
  });

  it('arrive from the service, or from the URL while it is away, and are recorded later', async () => {
    const phone = new Phone();
    await phone.launch().firstOpen();
    phone.fateOf = (_request, path) => (path.endsWith('resolve') ? 'lost' : 'answered');
    phone.kill();
    const links = { initial: async () => `${LINK}?size=43`, subscribe: () => () => {} };
    phone.launch({ linkTimeoutMs: 10 }, { links });
    await settle();
    assert.equal(phone.delivered.length, 0, 'the next attempt may be in time');
    await wait(10);
    assert.deepEqual(
      phone.delivered.map(({ path, params, unresolved }) => ({ path, params, unresolved })),
      [{ path: '/', params: { size: '43' }, unresolved: true }],
    );
    phone.fateOf = () => 'answered';
    phone.kill();
    phone.launch();
    await settle();
    assert.equal(phone.service.opens.size, 1);
    assert.equal(phone.delivered.length, 1);
  });

  it('of a hundred taps without a network go to every caller of handleUrl', async () => {
    const phone = new Phone();
    const client = phone.launch({ linkTimeoutMs: 20 });
    await client.firstOpen();
    phone.fateOf = () => 'lost';
    const taps = Array.from({ length: 100 }, (_, n) => client.handleUrl(`${BASE_URL}/l/a${n}`));
    const answered = Promise.all(taps).then((links) => links.length);
    assert.equal(await Promise.race([answered, wait(2_000, 'not all were answered', { ref: false })]), 100);
  });

  it('of one tap count once, of two taps twice, and go to the caller of handleUrl alone', async () => {
    const phone = new Phone();
    let tap = (_url: string) => {};
    const subscribe = (listener: (url: string) => void) => {
      tap = listener;
      return () => {};
    };
    const client = phone.launch({}, { links: { initial: async () => LINK, subscribe } });
    await settle();
    tap(LINK);
    await settle();
    assert.equal(phone.delivered.length, 1, 'the start and its event');
    tap(`${LINK}2`);
    tap(`${LINK}2`);
    await settle();
    assert.equal(phone.delivered.length, 2, 'two reports at once');
    phone.nowMs += 1_000;
    tap(`${LINK}2`);
    tap(LINK);
    await settle();
    assert.equal(phone.delivered.length, 4, 'two taps');
    assert.equal((await client.handleUrl(`${LINK}3`))?.path, '/shoes/42');
    assert.equal(phone.delivered.length, 4);
  });

  it('of other hosts leave the phone in no request', async () => {
    const phone = new Phone();
    const client = phone.launch();
    await client.firstOpen();
    const foreign = [
      'https://bank.example/?code=1',
      'https://go.example.com@evil.example/l/a',
      'mailto:a@b.c',
      'shop://pay?token=2',
      '',
    ];
    assert.deepEqual(foreign.filter(client.isLink), []);
    for (const url of foreign) assert.equal(await client.handleUrl(url), null);
    assert.equal(phone.service.requests.filter(({ path }) => path.endsWith('resolve')).length, 0);
    assert.equal(await client.handleUrl(`${BASE_URL}/l/unknown`), null, 'unknown to the service');
  });

  it('with the scheme of the app are opens of the click', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const url = 'shop://shoes/42?svc_click_id=01985f2e&size=43';
    assert.deepEqual([url, LINK].map(client.isLink), [true, true]);
    const link = await client.handleUrl(url);
    assert.deepEqual([link?.path, link?.params, link?.deferred], ['/shoes/42', { size: '43' }, false]);
    assert.equal([...phone.service.opens.values()][0]?.clickId, '01985f2e');
  });
});

describe('events', () => {
  it('arrive in order, once, after the install, although answers are lost', async () => {
    const phone = new Phone();
    phone.fateOf = (request) => (request % 2 === 0 ? 'answer lost' : 'answered');
    const client = phone.launch();
    for (let n = 0; n < 120; n++) client.track(`event ${n}`);
    for (let round = 0; round < 6; round++) await client.flush();
    assert.deepEqual(
      phone.service.events.map(({ eventName }) => eventName),
      Array.from({ length: 120 }, (_, n) => `event ${n}`),
    );
    assert.equal(phone.service.requests[0]?.path, '/v1/sdk/install');
  });

  it('of a burst of 2,000 are all kept, whatever their age', async () => {
    const phone = new Phone();
    phone.fateOf = () => 'lost';
    const client = phone.launch();
    for (let n = 0; n < 2_000; n++) client.track(`event ${n}`);
    await client.flush();
    phone.nowMs += 30 * 86_400_000;
    phone.fateOf = () => 'answered';
    phone.kill();
    const next = phone.launch();
    await next.flush();
    await next.flush();
    const names = phone.service.events.map(({ eventName }) => eventName);
    assert.deepEqual(
      names.slice(0, 2_000),
      Array.from({ length: 2_000 }, (_, n) => `event ${n}`),
    );
    assert.equal((await next.explain()).droppedEvents, 0);
  });

  it('that the service refuses keep no others', async () => {
    const phone = new Phone();
    const client = phone.launch();
    client.track('good');
    client.track('bad');
    client.track('circular', circular());
    client.track('fine');
    await client.flush();
    assert.deepEqual(
      phone.service.events.map(({ eventName }) => eventName),
      ['good', 'fine'],
    );
    assert.equal((await client.explain()).droppedEvents, 1);
  });

  it('carry the user from identify on, and revenue with its transaction', async () => {
    const phone = new Phone();
    const client = phone.launch();
    client.track('before');
    client.identify('u1');
    client.track('purchase', { items: 2 }, { amount: '19.99', currency: 'EUR', transactionId: 't1' });
    await client.flush();
    const [before, purchase] = phone.service.events;
    assert.equal(before?.userId, null, 'there was none');
    assert.deepEqual(
      [purchase?.userId, purchase?.revenue, purchase?.transactionId],
      ['u1', { amount: '19.99', currency: 'EUR' }, 't1'],
    );
    assert.equal(phone.service.users.length, 1);
  });

  it('are not asked for again before Retry-After, even by flush', async () => {
    const phone = new Phone();
    const client = phone.launch();
    await client.firstOpen();
    phone.fateOf = () => UNAVAILABLE;
    client.track('one');
    await client.flush();
    const asked = phone.steps;
    await client.flush();
    await client.flush();
    assert.equal(phone.steps, asked);
  });
});

describe('consent', () => {
  it('pending sends nothing, and granted later sends everything', async () => {
    const phone = new Phone();
    const links = { initial: async () => LINK, subscribe: () => () => {} };
    const client = phone.launch({ consent: 'pending', firstOpenTimeoutMs: 10 }, { links });
    client.track('one');
    client.identify('u1');
    await client.flush();
    assert.equal((await client.firstOpen()).pending, true);
    assert.equal(phone.service.requests.length, 0);
    await client.setConsent('granted');
    await client.flush();
    assert.deepEqual(
      [phone.service.installs.size, phone.service.opens.size, phone.service.events.length],
      [1, 1, 1],
    );
    assert.equal(phone.delivered[0]?.path, '/shoes/42');
  });

  it('deterministic-only sends no signal of the device', async () => {
    const phone = new Phone();
    const client = phone.launch({ consent: 'deterministic-only' });
    await client.firstOpen();
    await client.handleUrl(LINK);
    for (const body of [...phone.service.installs.values(), ...phone.service.opens.values()]) {
      assert.deepEqual(Object.keys(body.fingerprint ?? {}).sort(), ['platform', 'sdkVersion']);
      assert.equal(body.deterministicOnly, true);
    }
  });

  it('denied resolves links without a record, and erases the queue', async () => {
    const phone = new Phone();
    phone.fateOf = () => 'lost';
    const client = phone.launch();
    client.track('one');
    client.identify('u1');
    await client.flush();
    await client.setConsent('denied');
    assert.ok([...phone.stored].every(([key, value]) => !key.includes('events') && !value.includes('u1')));
    phone.fateOf = () => 'answered';
    client.track('two');
    assert.equal((await client.handleUrl(LINK))?.path, '/shoes/42');
    await client.flush();
    assert.deepEqual(
      phone.service.requests.map(({ path, body }) => [path, Object.keys(body)]),
      [['/v1/sdk/resolve', ['url']]],
    );
    phone.kill();
    await phone.launch().flush();
    assert.equal(phone.service.requests.length, 1, 'over a restart too');
  });
});

describe('the client', () => {
  it('starts anew after reset, with another install', async () => {
    const phone = new Phone();
    const client = phone.launch();
    await client.firstOpen();
    await client.reset();
    assert.equal(phone.stored.size, 0);
    await client.firstOpen();
    assert.equal(phone.service.installs.size, 2);
  });

  it('goes on without a network, with a storage that fails, and with a listener that throws', async () => {
    const phone = new Phone();
    phone.service.payload = PAYLOAD;
    const broken = {
      getItem: async () => Promise.reject(new Error('full')),
      setItem: async () => Promise.reject(new Error('full')),
      removeItem: async () => {},
    };
    const client = phone.create({ firstOpenTimeoutMs: 10 }, { storage: broken });
    client.onDeepLink(() => {
      throw new Error('a mistake of the app');
    });
    await client.start();
    client.track('one');
    await client.flush();
    assert.equal((await client.handleUrl(LINK))?.path, '/shoes/42');
    assert.equal(phone.service.installs.size, 0, 'an install without a memory would count at every start');
  });

  it('leaves a stored state alone that it cannot read', async () => {
    const phone = new Phone();
    const { installId } = await phone.launch().firstOpen();
    phone.kill();
    const failing = { getItem: () => Promise.reject(new Error('busy')) };
    const storage = {
      ...failing,
      setItem: async (key: string, value: string) => phone.stored.set(key, value),
      removeItem: async (key: string) => phone.stored.delete(key),
    };
    const client = phone.launch({}, { storage });
    client.track('one');
    await client.flush();
    phone.kill();
    assert.equal((await phone.launch().firstOpen()).installId, installId);
    assert.equal(phone.service.installs.size, 1);
  });

  it('refuses a base URL that is none, and says that a secret key is one', () => {
    assert.throws(
      () => createThroughline({ baseUrl: 'go.example.com', key: 'svc_live_pub_x' }),
      /http or https/,
    );
    const messages: string[] = [];
    createThroughline({
      baseUrl: BASE_URL,
      key: 'svc_live_us_x',
      onLog: ({ message }) => messages.push(message),
    });
    assert.match(messages.join(), /Use a publishable key/);
  });
});

function circular() {
  const value: Record<string, never> = {};
  Object.assign(value, { value });
  return value;
}
