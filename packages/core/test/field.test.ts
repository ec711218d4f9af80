import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createThroughline, type KeyValueStorage, type Throughline } from '../src/index.ts';
import { BASE_URL, endClients, type Fate, fault, KEY, LINK, Phone, settle } from './phone.ts';

/** What hangs does so until the tests are over. */
const silence = Promise.withResolvers<never>();
const NEVER = silence.promise;
after(() => {
  endClients();
  silence.reject(new Error('The tests are over.'));
});
const URL_OF_APP = 'shop://shoes/42?size=43&svc_click_id=01985f2e';

async function flushAll(client: Throughline, times = 12): Promise<void> {
  for (let round = 0; round < times; round++) await client.flush();
}

function names(phone: Phone): unknown[] {
  return phone.service.events.map(({ eventName }) => eventName).filter((name) => name !== 'session_start');
}

function storageOf(phone: Phone): KeyValueStorage {
  return {
    getItem: (key) => phone.stored.get(key) ?? null,
    setItem: (key, value) => void phone.stored.set(key, value),
    removeItem: (key) => void phone.stored.delete(key),
  };
}

describe('a batch', () => {
  for (const [name, bad] of Object.entries({
    413: { status: 413, body: '<html>too large</html>' },
    400: fault(400, 'request.invalid_json'),
    500: fault(500, 'internal'),
  } as Record<string, Fate>))
    it(`that is refused with ${name} because of one event takes no other along`, async () => {
      const phone = new Phone();
      const client = phone.launch();
      await client.firstOpen();
      phone.fateOf = (_request, path, body) =>
        path.endsWith('/events') && body.includes('"bad"') ? bad : 'answered';
      for (let n = 0; n < 20; n++) client.track(n === 7 ? 'bad' : `event ${n}`);
      await flushAll(client);
      assert.equal(phone.service.events.length, 19);
      assert.equal(
        (await client.explain()).queuedEvents,
        name === '400' ? 0 : 1,
        'kept unless it is refused for good',
      );
    });

  it('has at most 50,000 fields, 250,000 commas and 4 MiB, whatever the events hold', async () => {
    const phone = new Phone();
    const client = phone.launch();
    await client.firstOpen();
    phone.fateOf = () => 'lost';
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`f${n}`, n]));
    const long = { list: Array.from({ length: 16_000 }, () => 1) };
    for (let n = 0; n < 60; n++) client.track('wide', wide);
    for (let n = 0; n < 60; n++) client.track('long', long);
    for (let n = 0; n < 150; n++) client.track('text', { text: '鞋'.repeat(9_000) });
    const bodies: string[] = [];
    phone.fateOf = (_request, _path, body) => {
      bodies.push(body);
      return 'answered';
    };
    await flushAll(client, 3);
    assert.equal(phone.service.events.length, 270);
    for (const body of bodies) {
      assert.ok(Buffer.byteLength(body) <= 4 * 1_024 * 1_024);
      assert.ok(body.split(':').length <= 50_000 && body.split(',').length <= 250_000);
    }
  });
});

describe('the storage', { concurrency: true }, () => {
  it('that answers late gets what happened before, and the install stays the stored one', async () => {
    const phone = new Phone();
    const first = phone.launch();
    const { installId } = await first.firstOpen();
    first.identify('u1');
    await first.flush();
    phone.kill();
    let isHanging = true;
    const storage = {
      ...storageOf(phone),
      getItem: (key: string) => (isHanging ? NEVER : (phone.stored.get(key) ?? null)),
    };
    const before = new Map(phone.stored);
    const client = phone.launch({ linkTimeoutMs: 50 }, { storage });
    client.track('early');
    assert.equal((await client.handleUrl(URL_OF_APP))?.path, '/shoes/42');
    await client.start();
    assert.match((await client.explain()).reason, /storage/);
    assert.deepEqual(phone.stored, before, 'nothing is overwritten');
    isHanging = false;
    await wait(1_500);
    await client.flush();
    assert.deepEqual(names(phone), ['early']);
    assert.deepEqual([phone.service.events.at(-1)?.userId, phone.service.installs.size], ['u1', 1]);
    assert.equal((await client.firstOpen()).installId, installId);
    assert.equal(phone.service.opens.size, 1);
  });

  it('that fails to write for a while gets everything later', async () => {
    const phone = new Phone();
    let isFull = true;
    const storage = storageOf(phone);
    const setItem = (key: string, value: string) => {
      if (isFull) throw new Error('full');
      return storage.setItem(key, value);
    };
    const client = phone.launch({}, { storage: { ...storage, setItem } });
    await client.firstOpen();
    phone.fateOf = () => 'lost';
    client.track('one');
    isFull = false;
    await wait(1_200);
    assert.match([...phone.stored.values()].join(), /"one"/);
    assert.match([...phone.stored.values()].join(), /"firstOpen":\{/);
  });

  it('of one client is refused to a second one in words, until the first is shut down', async () => {
    const phone = new Phone();
    const storage = storageOf(phone);
    const first = phone.launch({}, { storage });
    await first.firstOpen();
    const second = phone.create({}, { storage });
    second.track('by the second');
    await second.flush();
    assert.match(phone.log.map(({ message }) => message).join(), /another client .* shutdown\(\)/);
    assert.match((await second.explain()).reason, /another client/);
    assert.deepEqual(names(phone), []);
    await first.shutdown();
    await wait(1_500);
    await second.flush();
    assert.deepEqual(names(phone), ['by the second']);
    assert.equal(phone.service.installs.size, 1);
    await second.shutdown();
  });
});

describe('a link', () => {
  it('is answered within linkTimeoutMs whatever hangs', async () => {
    const hanging = { getItem: () => NEVER, setItem: () => NEVER, removeItem: () => NEVER };
    for (const consent of ['granted', 'deterministic-only', 'denied', 'pending'] as const)
      for (const storage of [hanging, undefined])
        for (const options of [{}, { launchId: 'a' }]) {
          const client = createThroughline(
            { baseUrl: BASE_URL, key: KEY, consent, linkTimeoutMs: 100, onLog: () => {} },
            { ...(storage && { storage }), fetch: () => NEVER, device: () => NEVER },
          );
          const startedAt = performance.now();
          const link = await client.handleUrl(`${LINK}?size=43`, options);
          assert.ok(performance.now() - startedAt < 400, `${consent} ${storage && 'hanging'}`);
          assert.deepEqual([link?.path, link?.unresolved, link?.params], ['/', true, { size: '43' }]);
          await client.shutdown();
        }
  });

  it('that a caller asks for after the system reported it is answered within the time of that caller', async () => {
    const links = { initial: async () => LINK, subscribe: () => () => {} };
    const client = createThroughline(
      { baseUrl: BASE_URL, key: KEY, onLog: () => {} },
      { links, fetch: () => NEVER },
    );
    await client.start();
    const startedAt = performance.now();
    assert.equal((await client.handleUrl(LINK, { timeoutMs: 50 }))?.unresolved, true);
    assert.ok(performance.now() - startedAt < 1_000);
    await client.shutdown();
  });

  it('of the app’s scheme keeps its path, whatever a fingerprint says', async () => {
    const phone = new Phone();
    phone.service.payload = { deepLinkPath: '/other', deepLinkParams: {}, isDeferred: true };
    phone.service.method = 'FINGERPRINT';
    const client = phone.launch(
      {},
      { links: { initial: async () => URL_OF_APP, subscribe: () => () => {} } },
    );
    await client.firstOpen();
    await settle();
    assert.deepEqual(
      phone.delivered.map(({ path, params }) => [path, params]),
      [['/shoes/42', { size: '43' }]],
    );
  });

  it('without a known path is marked, and no path is that of a short link', async () => {
    const phone = new Phone();
    phone.fateOf = () => 'lost';
    const client = phone.launch({ linkTimeoutMs: 5 });
    for (const [url, path] of [
      [`${BASE_URL}/l/red`, '/'],
      [`${BASE_URL}/l/red/`, '/'],
      [`${BASE_URL}/app/l/red?a=1`, '/'],
      [`${BASE_URL}`, '/'],
      [`${BASE_URL}/shoes/42`, '/shoes/42'],
    ] as const) {
      const link = await client.handleUrl(url);
      assert.deepEqual([link?.path, link?.unresolved], [path, true], url);
    }
  });
});

describe('a reset', () => {
  it('is whole or not at all, wherever the app is killed', async () => {
    for (let killAt = 0; killAt < 8; killAt++) {
      const phone = new Phone();
      const client = phone.launch();
      const { installId } = await client.firstOpen();
      phone.fateOf = () => 'lost';
      for (let n = 0; n < 250; n++) client.track(`event ${n}`);
      await settle();
      phone.killAt = phone.steps + killAt;
      void client.reset();
      await settle();
      phone.kill();
      phone.killAt = Number.POSITIVE_INFINITY;
      phone.fateOf = () => 'answered';
      const next = phone.launch();
      const isOld = (await next.firstOpen()).installId === installId;
      await flushAll(next, 2);
      assert.equal(names(phone).length, isOld ? 250 : 0, `killed after ${killAt} writes`);
      assert.equal(isOld, killAt === 0);
    }
  });

  it('keeps a refusal, and what is tracked meanwhile belongs to the new install', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const { installId } = await client.firstOpen();
    const done = client.reset();
    client.track('meanwhile');
    await done;
    await client.flush();
    const [event] = phone.service.events;
    assert.equal(event?.eventName, 'meanwhile');
    assert.notEqual(event?.installId, installId);
    await client.setConsent('denied');
    await client.reset();
    phone.kill();
    assert.equal((await phone.launch().explain()).consent, 'denied');
  });
});

describe('a reset while the storage takes no write', { concurrency: true }, () => {
  const full = (phone: Phone) => {
    const fault = { isFull: false };
    function check(): void {
      if (fault.isFull) throw new Error('full');
    }
    const { getItem, setItem, removeItem } = storageOf(phone);
    const storage: KeyValueStorage = {
      getItem,
      setItem(key, value) {
        check();
        return setItem(key, value);
      },
      removeItem(key) {
        check();
        return removeItem(key);
      },
    };
    return { fault, storage };
  };

  it('holds at once and over a start, and is written as soon as the storage takes it', async () => {
    const phone = new Phone();
    const { fault, storage } = full(phone);
    const client = phone.launch({}, { storage });
    const { installId } = await client.firstOpen();
    client.identify('u1');
    await client.flush();
    fault.isFull = true;
    client.track('old');
    await client.reset();
    client.track('new');
    assert.notEqual((await client.explain()).installId, installId);
    await client.start();
    await flushAll(client, 2);
    assert.deepEqual(
      phone.service.events.map(({ eventName, installId: of, userId }) => [
        eventName,
        of === installId,
        userId,
      ]),
      [['new', false, undefined]],
    );
    fault.isFull = false;
    await wait(2_500);
    const { installId: second } = await client.firstOpen();
    phone.kill();
    assert.equal((await phone.launch({}, { storage: { ...storage } }).firstOpen()).installId, second);
  });

  it('is not undone by a shutdown and a start, and keeps a refusal', async () => {
    const phone = new Phone();
    const { fault, storage } = full(phone);
    const client = phone.launch({}, { storage });
    const { installId } = await client.firstOpen();
    fault.isFull = true;
    await client.setConsent('denied');
    await client.reset();
    await client.shutdown();
    client.track('after');
    const requests = phone.service.requests.length;
    await client.start();
    await client.flush();
    assert.equal(phone.service.requests.length, requests);
    fault.isFull = false;
    await wait(5_000);
    const explained = await client.explain();
    assert.equal(explained.consent, 'denied');
    assert.notEqual(explained.installId, installId);
  });

  it('keeps a refusal that the storage never held', async () => {
    const phone = new Phone();
    const storage = { ...storageOf(phone), getItem: () => NEVER };
    const client = phone.launch({}, { storage });
    void client.setConsent('denied');
    await client.reset();
    assert.equal((await client.explain()).consent, 'denied');
  });
});

describe('odd values', () => {
  it('are refused in words, and throw from no call that returns nothing', async () => {
    const phone = new Phone();
    const client = phone.launch();
    for (const odd of [1n, Symbol('odd'), Number.NaN, {}, [], () => {}] as never[]) {
      client.track(odd);
      client.track('paid', {}, { amount: odd, currency: 'EUR' });
      client.track('paid', {}, { amount: '1', currency: odd });
      client.track('paid', {}, { amount: '1', currency: 'EUR', transactionId: odd });
      client.identify(odd);
      assert.equal(client.isLink(odd), false);
      await assert.rejects(client.setConsent(odd), /TypeError: Throughline: consent must be "granted"/);
      await assert.rejects(client.handleUrl(odd), /TypeError: Throughline: handleUrl takes a text, not/);
      await assert.rejects(client.claim(odd), /TypeError: Throughline: claim takes a text, not/);
    }
    await client.flush();
    assert.deepEqual([names(phone), phone.service.users], [[], []]);
    assert.equal(await client.handleUrl(null as never), null);
  });
});

describe('the log', () => {
  const mistake = { amount: '1,50', currency: 'EUR' };

  it('names each refused event, and at most 50 kinds at once', async () => {
    const phone = new Phone();
    const client = phone.launch();
    for (const name of ['alpha', 'beta', 'alpha']) client.track(name, {}, mistake);
    const lines = () => phone.log.map(({ message }) => message.slice(0, 30));
    assert.equal(lines().filter((line) => line.startsWith('“alpha”')).length, 1);
    assert.equal(lines().filter((line) => line.startsWith('“beta”')).length, 1);
    for (let n = 0; n < 500; n++) client.track('x'.repeat(n + 1), {}, mistake);
    assert.ok(phone.log.length <= 52, `${phone.log.length} lines`);
  });

  it('has the counts that wait at shutdown', async () => {
    const phone = new Phone();
    const client = phone.launch();
    for (let n = 0; n < 3; n++) client.track('alpha', {}, mistake);
    await client.shutdown();
    assert.match(phone.log.at(-1)?.message ?? '', /“alpha” was not tracked.* \(2 more of this kind\)$/);
    const { length } = phone.log;
    await client.shutdown();
    assert.equal(phone.log.length, length);
  });

  it('shows addresses without their query and fragment, whoever wrote them into the message', async () => {
    const phone = new Phone();
    const initial = () => Promise.reject(new Error('no such https://a.example/x?token=secret: it failed'));
    const client = phone.launch({}, { links: { initial, subscribe: () => () => {} } });
    await client.firstOpen();
    await client.handleUrl(`${BASE_URL}/l/unknown?token=secret#secret`);
    await client.handleUrl(`${BASE_URL}/l/unknown#secret`);
    const messages = phone.log.map(({ message }) => message);
    assert.ok(messages.some((message) => message.includes(`${BASE_URL}/l/unknown: `)));
    assert.ok(messages.some((message) => message.includes('https://a.example/x: it failed')));
    assert.ok(messages.every((message) => !message.includes('secret')));
  });
});

describe('a storage that answers a text for a missing key', () => {
  for (const missing of ['', 'null', 'undefined', '{}'])
    it(`(${missing || 'empty'}) works as another one`, async () => {
      const phone = new Phone();
      const storage = { ...storageOf(phone), getItem: (key: string) => phone.stored.get(key) ?? missing };
      const first = phone.launch({}, { storage: { ...storage } });
      const { installId } = await first.firstOpen();
      first.track('one');
      phone.kill();
      const next = phone.launch({}, { storage: { ...storage } });
      assert.equal((await next.firstOpen()).installId, installId);
      await next.flush();
      assert.deepEqual(names(phone), ['one']);
    });
});

describe('a claim', () => {
  it('gives null after linkTimeoutMs, says so in the log, and its link goes to listeners', async () => {
    const phone = new Phone();
    const client = phone.launch({ linkTimeoutMs: 60 });
    await client.firstOpen();
    phone.service.payload = { deepLinkPath: '/late', deepLinkParams: {}, isDeferred: true };
    phone.fateOf = (_request, path) => (path.endsWith('/open') ? 'lost' : 'answered');
    assert.equal(await client.claim(`${LINK}?svc_click_id=token`), null);
    assert.ok(phone.log.some(({ message }) => message.includes('has not answered yet')));
    phone.fateOf = () => 'answered';
    await client.flush();
    await settle();
    assert.deepEqual(
      phone.delivered.map(({ path }) => path),
      ['/late'],
    );
  });
});

describe('text that can be no token', () => {
  const texts = [
    `x${'y'.repeat(4_096)}`,
    'a\0',
    '%00',
    'half\ud800',
    'two words'.replace(' ', '+'),
    'p@ss',
    '',
  ];

  it('gives null, and is neither stored nor sent', async () => {
    const phone = new Phone();
    const client = phone.launch({}, { clipboard: async () => `${LINK}?svc_click_id=${texts[1]}` });
    for (const text of texts) assert.equal(await client.claim(`${LINK}?svc_click_id=${text}`), null);
    await client.firstOpen();
    for (const text of texts) assert.equal(await client.claim(`${LINK}?svc_click_id=${text}`), null);
    assert.equal(phone.requested('/v1/sdk/open'), 0);
    assert.deepEqual(
      [...phone.service.installs.values()].map(({ clickId }) => clickId),
      [undefined],
    );
  });

  it('of an earlier version is dropped when it is read, as are counts that nothing counts up to', async () => {
    const phone = new Phone();
    await phone.launch({ consent: 'pending' }).start();
    await settle();
    const state = JSON.parse(phone.stored.get('throughline.state') ?? '');
    const url = `${LINK}?svc_click_id=a%00`;
    const pasted = { openId: state.installId, at: 0, url, isPasted: true, isDelivered: false };
    Object.assign(state, { token: url, opens: [pasted], firstChunk: 2 ** 53, endChunk: 1e300 });
    phone.kill();
    phone.stored.set('throughline.state', JSON.stringify({ ...state, droppedEvents: -1, sessionAt: null }));
    const client = phone.launch();
    assert.equal((await client.firstOpen()).installId, state.installId);
    await client.flush();
    const [install] = phone.service.installs.values();
    assert.deepEqual([install?.clickId, phone.requested('/v1/sdk/open')], [undefined, 0]);
    assert.equal((await client.explain()).droppedEvents, 0);
  });
});

describe('consent that is narrowed while a request is being prepared', () => {
  const device = async () => {
    await wait(60);
    return { platform: 'IOS', deviceModel: 'iPhone17,3' } as const;
  };

  it('to certain matching: the install and the open leave without the device', async () => {
    const phone = new Phone();
    const client = phone.launch({}, { device });
    void client.handleUrl(LINK);
    await wait(20);
    await client.setConsent('deterministic-only');
    await client.firstOpen();
    await wait(150);
    assert.ok(phone.requested('/v1/sdk/install') > 0 && phone.requested('/v1/sdk/resolve') > 0);
    for (const { body } of phone.service.requests) {
      assert.equal(body.deterministicOnly, true);
      assert.ok(!JSON.stringify(body).includes('iPhone'));
    }
  });

  for (const consent of ['pending', 'denied'] as const)
    it(`to ${consent}: nothing of the install, the user, events, opens and links leaves`, async () => {
      const phone = new Phone();
      const slow = storageOf(phone);
      const setItem = async (key: string, value: string) => {
        await wait(40);
        slow.setItem(key, value);
      };
      const client = phone.launch({}, { device, storage: { ...slow, setItem } });
      client.identify('u1');
      client.track('one');
      void client.handleUrl(LINK);
      void client.createLink({ deepLinkPath: '/x' }).catch(() => {});
      await wait(20);
      void client.setConsent(consent);
      const { length } = phone.service.requests;
      await wait(300);
      const later = phone.service.requests.slice(length).map(({ body }) => Object.keys(body).join());
      assert.deepEqual(later, consent === 'denied' ? ['url'] : []);
    });

  it('and events that a refusal erased do not leave when the person agrees again at once', async () => {
    const phone = new Phone();
    const slow = storageOf(phone);
    const setItem = async (key: string, value: string) => {
      await wait(40);
      slow.setItem(key, value);
    };
    const client = phone.launch({}, { storage: { ...slow, setItem } });
    await client.firstOpen();
    client.track('erased');
    void client.flush();
    await wait(10);
    void client.setConsent('denied');
    void client.setConsent('granted');
    client.track('after');
    await wait(100);
    await client.flush();
    assert.deepEqual(names(phone), ['after']);
  });
});

describe('the interface', () => {
  it('takes properties of an interface, and refuses what is no consent', async () => {
    interface Viewed {
      screen: string;
      size?: number | undefined;
    }
    const viewed: Viewed = { screen: 'shoes', size: undefined };
    const phone = new Phone();
    const client = phone.launch();
    client.track('viewed', viewed);
    client.track('wrong', [viewed]);
    client.track('wrong', new Map([['a', 1]]).values().next);
    await client.flush();
    assert.deepEqual(names(phone), ['viewed']);
    for (const wrong of ['GRANTED', 'yes', '', null, true])
      await assert.rejects(client.setConsent(wrong as never), /must be "granted"/);
    assert.equal((await client.explain()).consent, 'granted');
    assert.throws(() => phone.create({ consent: 'Denied' as never }), /must be "granted"/);
  });

  it('refuses texts and depths that the service does not store, and no others', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    const fine = {
      pair: { text: '😀' },
      escaped: { text: String.raw`\u0000 \ud83d "quoted"` },
      deep: nested(63),
      proto: { text: '"__proto__":' },
      long: { text: 'ä'.repeat(16_378) },
    };
    const wrong = {
      nul: { text: '\0' },
      key: { 'a\0': 1 },
      half: { text: '\ud83d' },
      other_half: { text: 'a\ude00b' },
      too_deep: nested(64),
      own_proto: JSON.parse('{"a":{"__proto__":1}}') as object,
      too_long: { text: 'ä'.repeat(16_379) },
    };
    for (const [name, properties] of Object.entries({ ...fine, ...wrong })) client.track(name, properties);
    client.track('\ud83d');
    client.track('paid', {}, { amount: '1', currency: 'EUR', transactionId: 'a\0' });
    await client.flush();
    assert.deepEqual(names(phone), Object.keys(fine));
  });

  it('asks once whether the person had the app before', async () => {
    const phone = new Phone();
    let asked = 0;
    const isExistingUser = () => ++asked > 0;
    phone.fateOf = () => 'lost';
    await phone.launch({ firstOpenTimeoutMs: 5 }, { isExistingUser }).firstOpen();
    phone.kill();
    phone.fateOf = () => 'answered';
    await phone.launch({}, { isExistingUser }).firstOpen();
    assert.deepEqual([asked, [...phone.service.installs.values()][0]?.existingUser], [1, true]);
  });

  it('waits as long as the date in Retry-After says, by the clock of the service', async () => {
    const phone = new Phone();
    const client = phone.launch();
    await client.firstOpen();
    phone.nowMs += 365 * 86_400_000;
    const headers = { 'retry-after': 'Wed, 25 Nov 2026 00:10:00 GMT', date: 'Wed, 25 Nov 2026 00:00:00 GMT' };
    phone.fateOf = () => ({ status: 503, body: { error: 'away' }, headers });
    client.track('one');
    await client.flush();
    const asked = phone.steps;
    await client.flush();
    assert.equal(phone.steps, asked);
  });
});
