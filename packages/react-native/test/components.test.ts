import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { DeepLink, Throughline } from '@throughline/core';
import { act, createElement, type ReactNode, useState } from 'react';
import { createRoot, type Root } from 'test-renderer';
import { BASE_URL, createClient, LINK, library, newPhone, phone, plugin, receiveUrl } from './host.ts';

const { createLinking, createNativeIntent, hrefOf, PasteLinkButton, ThroughlineProvider } = library;
const { useDeepLink, useThroughline } = library;

const DEFERRED = { deepLinkPath: '/welcome', deepLinkParams: { code: 'x' }, isDeferred: true };
const FOREIGN = 'shop://pay?token=2';

async function render(client: Throughline, child: ReactNode, isStrictMode = false): Promise<Root> {
  const root = createRoot({ textComponentTypes: ['Text'], isStrictMode });
  await act(async () => {
    root.render(createElement(ThroughlineProvider, { client }, child));
    await wait(30);
  });
  return root;
}

async function receive(url: string): Promise<void> {
  await act(async () => {
    receiveUrl(url);
    await wait(30);
  });
}

/** Lets promises settle while timers are mocked. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

const textOf = ({ container }: Root) =>
  JSON.stringify(
    container.children.map((node) => (typeof node === 'string' ? node : node.toJSON()?.children)),
  );

function Latest() {
  return createElement('Text', null, useDeepLink()?.path ?? 'none');
}

beforeEach(() => newPhone());

describe('the provider', () => {
  for (const isStrict of [false, true])
    it(`starts the client once and shows the newest link${isStrict ? ', in strict mode too' : ''}`, async () => {
      newPhone({ initialUrl: LINK });
      const installs: Record<string, unknown>[] = [];
      const client = createClient({ installs });
      const root = await render(client, createElement(Latest), isStrict);
      assert.match(textOf(root), /\/shoes\/42/);
      assert.equal(installs.length, 1);
      assert.equal(phone.urlListeners.size, 1);
      await act(async () => root.unmount());
    });

  it('creates the client of its config once, over renderings with another object', async () => {
    const clients = new Set<Throughline>();
    let again = () => {};
    function Child() {
      clients.add(useThroughline());
      return null;
    }
    function App() {
      const [count, setCount] = useState(0);
      again = () => setCount(count + 1);
      const config = { baseUrl: 'http://127.0.0.1:9', key: 'svc_test_pub_us_0', onLog: () => {} };
      return createElement(ThroughlineProvider, { config }, createElement(Child));
    }
    const root = createRoot();
    await act(async () => root.render(createElement(App)));
    await act(async () => again());
    assert.equal(clients.size, 1);
    for (const client of clients) await client.reset();
    await act(async () => root.unmount());
  });

  it('is named by the error of a hook outside of it', async () => {
    const root = createRoot({ onUncaughtError: () => {} });
    await assert.rejects(
      async () => await act(async () => root.render(createElement(Latest))),
      /put a ThroughlineProvider above/,
    );
  });
});

describe('useDeepLink', () => {
  it('gives every link to its newest handler once, and to none after the component is gone', async () => {
    const seen: string[] = [];
    let change = () => {};
    function Screen() {
      const [name, setName] = useState('first');
      change = () => setName('second');
      useDeepLink((link: DeepLink) => seen.push(`${name} ${link.url?.at(-1)}`));
      return null;
    }
    const root = await render(createClient(), createElement(Screen));
    await receive(`${LINK}1`);
    await act(async () => change());
    await receive(`${LINK}2`);
    await act(async () => root.unmount());
    await receive(`${LINK}3`);
    assert.deepEqual(seen, ['first 1', 'second 2']);
  });

  it('shows a component that mounts later the link that others have', async () => {
    let show = () => {};
    function Later() {
      const [isShown, setShown] = useState(false);
      show = () => setShown(true);
      return isShown ? createElement(Latest) : null;
    }
    const root = await render(createClient({ deferred: DEFERRED }), [
      createElement(Latest, { key: 1 }),
      createElement(Later, { key: 2 }),
    ]);
    await act(async () => show());
    assert.equal(textOf(root).match(/\/welcome/g)?.length, 2);
    await act(async () => root.unmount());
  });
});

describe('the linking of React Navigation', () => {
  const begin = async (client: Throughline) => {
    const linking = createLinking(client, { prefixes: ['shop://'], config: { screens: {} } });
    const urls: string[] = [];
    const initial = linking.getInitialURL();
    const end = linking.subscribe((url) => urls.push(url));
    linking.onReady();
    await client.start();
    return { linking, urls, initial, end };
  };

  it('gets the path of the link that started the app, then later links, and no deferred one over them', async () => {
    newPhone({ initialUrl: LINK });
    const { urls, initial, end } = await begin(createClient({ deferred: DEFERRED, method: 'CLICK_ID' }));
    const all = [await initial];
    await wait(30);
    receiveUrl(`${LINK}2`);
    await wait(30);
    all.push(...urls);
    assert.deepEqual(all.toSorted(), ['throughline://shoes/42?size=43', 'throughline://shoes/42?size=43']);
    end();
    assert.equal(phone.urlListeners.size, 1, 'the client’s own');
  });

  it('gets the deferred link of an app that no link started', async () => {
    newPhone({});
    const { urls, initial } = await begin(createClient({ deferred: DEFERRED, method: 'CLICK_ID' }));
    const first = await initial;
    await wait(30);
    assert.deepEqual([first, ...urls].filter(Boolean), ['throughline://welcome?code=x']);
  });

  it('gets the first path again, and at once, in a container that is mounted again', async () => {
    newPhone({ initialUrl: LINK });
    const { linking, initial, end } = await begin(createClient());
    const path = 'throughline://shoes/42?size=43';
    assert.equal(await initial, path);
    end();
    assert.equal(await Promise.race([linking.getInitialURL(), wait(500, 'late')]), path);
  });

  it('gets other URLs unchanged, at once', async () => {
    newPhone({ initialUrl: FOREIGN });
    const { linking, urls, initial } = await begin(createClient());
    assert.equal(await initial, FOREIGN);
    receiveUrl('shop://cart');
    assert.deepEqual(urls, ['shop://cart']);
    assert.deepEqual(linking.prefixes, ['throughline://', 'shop://']);
    assert.deepEqual(linking.config, { screens: {} });
  });

  it('waits 2 s for the first link, which is then what the URL tells; the service corrects it', async (t) => {
    newPhone({ initialUrl: LINK });
    const answers: ((answer: object) => void)[] = [];
    const fetch = (url: string) =>
      url.endsWith('/resolve') ? new Promise((resolve) => answers.push(resolve)) : new Promise(() => {});
    const client = createClient({ ports: { fetch } });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { urls, initial } = await begin(client);
    await settle();
    t.mock.timers.tick(2_000);
    assert.equal(await initial, 'throughline://', 'no screen has the path of a short link');
    await settle();
    for (let ms = 0; ms < 4_000; ms += 500) {
      t.mock.timers.tick(500);
      await settle();
    }
    assert.deepEqual(urls, []);
    const body = { deepLinkPath: '/shoes/42', deepLinkParams: {}, isDeferred: false, campaignId: null };
    answers[0]?.({ status: 200, headers: new Headers(), text: async () => JSON.stringify(body) });
    await settle();
    t.mock.timers.tick(500);
    await settle();
    assert.deepEqual(urls, ['throughline://shoes/42']);
  });

  it('gets links after 3 s in a container that does not pass on its onReady', async (t) => {
    const client = createClient();
    await client.start();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const urls: string[] = [];
    createLinking(client, {}).subscribe((url) => urls.push(url));
    receiveUrl(LINK);
    await settle();
    assert.deepEqual(urls, []);
    t.mock.timers.tick(3_000);
    await settle();
    assert.deepEqual(urls, ['throughline://shoes/42?size=43']);
  });

  it('keeps links while there is no container, for the next one', async () => {
    const { linking, end, urls } = await begin(createClient());
    end();
    receiveUrl(LINK);
    await wait(30);
    assert.deepEqual(urls, []);
    const later: string[] = [];
    linking.subscribe((url) => later.push(url));
    await wait(10);
    assert.deepEqual(later, [], 'before its first screen');
    linking.onReady();
    await wait(10);
    assert.deepEqual(later, ['throughline://shoes/42?size=43']);
  });
});

describe('the native intent of Expo Router', () => {
  const redirect = async (client: Throughline, path: string, initial = true) =>
    await createNativeIntent(client).redirectSystemPath({ path, initial });
  const silence = Promise.withResolvers<never>();
  /** An ordinary timer of a busy machine may be late. */
  const FIRST_SCREEN_MS = 600;

  it('turns links into the path that the service names, and no other URL', async () => {
    const client = createClient();
    assert.equal(await redirect(client, LINK), '/shoes/42?size=43');
    for (const path of [FOREIGN, '/cart', '', `${BASE_URL}/l/unknown`])
      assert.equal(await redirect(client, path), path);
  });

  it('never throws', async () => {
    const client = createClient();
    client.handleUrl = () => Promise.reject(new Error('broken'));
    assert.equal(await redirect(client, LINK), LINK);
  });

  it('uses what the URL tells while the service is away, and routes to no short link', async () => {
    const client = createClient({ answers: false });
    assert.equal(await redirect(client, `${LINK}?size=43`), '/?size=43');
    assert.equal(await redirect(client, `${BASE_URL}/shoes/7`), '/shoes/7');
    await client.shutdown();
  });

  for (const [what, options] of [
    ['the answer about consent', { config: { consent: 'pending' } }],
    ['a network that is silent', { ports: { fetch: () => silence.promise } }],
    ['a network that is slow', { answerAfterMs: 1_000 }],
    [
      'a storage that hangs',
      { ports: { storage: { getItem: () => new Promise(() => {}), setItem() {}, removeItem() {} } } },
    ],
  ] as const)
    it(`does not keep the first screen waiting for ${what}`, async () => {
      newPhone({ initialUrl: LINK });
      const client = createClient(options);
      const startMs = performance.now();
      assert.equal(await redirect(client, LINK), '/');
      const tookMs = performance.now() - startMs;
      assert.ok(tookMs < FIRST_SCREEN_MS, `${tookMs} ms`);
      // Timers of a client that waits would keep the process for a minute.
      void client.shutdown();
      silence.reject(new TypeError('Network request failed'));
    });

  it('corrects the first screen once the service has answered, in useDeepLink, and gives it no link twice', async () => {
    newPhone({ initialUrl: LINK });
    const client = createClient({ answerAfterMs: 400 });
    const seen: DeepLink[] = [];
    function Layout() {
      useDeepLink((link) => seen.push(link));
      return null;
    }
    const first = redirect(client, LINK);
    const root = await render(client, createElement(Layout));
    assert.equal(await first, '/');
    await act(async () => await wait(1_500));
    assert.deepEqual(
      seen.map(({ path, params, correctionOf }) => [path, params, correctionOf]),
      [['/shoes/42', { size: 43 }, LINK]],
    );
    await act(async () => root.unmount());
  });

  it('records one open for the first URL, whoever reports it, and one for each later tap', async () => {
    newPhone({ initialUrl: LINK });
    const opens: Record<string, unknown>[] = [];
    const client = createClient({ opens });
    await client.start();
    await wait(1_100);
    assert.equal(await redirect(client, LINK), '/shoes/42?size=43');
    await client.flush();
    assert.equal(opens.length, 1);
    await redirect(client, LINK, false);
    await client.flush();
    assert.equal(opens.length, 2);
    assert.notEqual(opens[0]?.openId, opens[1]?.openId);
  });
});

describe('the paste button', () => {
  const clipboard = { isPasteButtonAvailable: true, ClipboardPasteButton: 'PasteControl' };
  const rendered = async (client: Throughline, onLink: (link: DeepLink | null) => void = () => {}) =>
    await render(client, createElement(PasteLinkButton, { onLink, style: { height: 40 } }));

  it('exchanges the pasted token for its link, and reads no clipboard itself', async () => {
    newPhone({ installed: new Map([['expo-clipboard', clipboard]]) });
    const links: (string | undefined)[] = [];
    const root = await rendered(createClient({ deferred: DEFERRED }), (link) => links.push(link?.path));
    const [button] = root.container.queryAll(({ type }) => type === 'PasteControl');
    assert.deepEqual(button?.props.style, { height: 40 });
    for (const pasted of [
      { type: 'text', text: `${LINK}?svc_click_id=1` },
      { type: 'text', text: 'milk' },
      { type: 'image' },
    ])
      await act(async () => {
        button?.props.onPress(pasted);
        await wait(30);
      });
    assert.deepEqual(links, ['/welcome', undefined, undefined]);
  });

  it('is nothing on Android, before iOS 16 and without expo-clipboard', async () => {
    const old = { ...clipboard, isPasteButtonAvailable: false };
    for (const phone of [
      { os: 'android', installed: new Map([['expo-clipboard', clipboard]]) },
      { installed: new Map([['expo-clipboard', old]]) },
      {},
    ]) {
      newPhone(phone);
      assert.deepEqual((await rendered(createClient())).container.children, []);
    }
  });
});

describe('hrefOf', () => {
  it('gives the path with its parameters, encoded', () => {
    const params = { q: 'a&b', n: 1, list: [1] };
    assert.equal(hrefOf({ path: '/find', params }), '/find?q=a%26b&n=1&list=%5B1%5D');
    assert.equal(hrefOf({ path: '/find?x=1', params: { y: true } }), '/find?x=1&y=true');
    assert.equal(hrefOf({ path: '/', params: {} }), '/');
  });
});

describe('the config plugin', () => {
  const hosts = ['go.example.com', 'l.example.com'];
  const config = {
    name: 'shop',
    ios: { bundleIdentifier: 'a.b', associatedDomains: ['webcredentials:example.com'] },
    android: { intentFilters: [{ action: 'VIEW', data: { scheme: 'shop' } }] },
  };

  it('adds the hosts to both systems and keeps the rest, and a second run changes nothing', () => {
    const once = plugin(config, { hosts });
    assert.deepEqual(once, {
      name: 'shop',
      ios: {
        bundleIdentifier: 'a.b',
        associatedDomains: [
          'webcredentials:example.com',
          'applinks:go.example.com',
          'applinks:l.example.com',
        ],
      },
      android: {
        intentFilters: [
          { action: 'VIEW', data: { scheme: 'shop' } },
          {
            action: 'VIEW',
            autoVerify: true,
            data: hosts.map((host) => ({ scheme: 'https', host, pathPrefix: '/l/' })),
            category: ['BROWSABLE', 'DEFAULT'],
          },
        ],
      },
    });
    assert.deepEqual(plugin(once, { hosts }), once);
  });

  it('takes whole hosts if it is asked to', () => {
    const { android } = plugin({}, { hosts: ['go.example.com'], wholeHost: true });
    assert.deepEqual(android?.intentFilters?.[0]?.data, [{ scheme: 'https', host: 'go.example.com' }]);
  });

  it('names where iPhones send copies of postbacks, if it is asked to, beside other entries of Info.plist', () => {
    const endpoint = 'https://example.com';
    const theirs = { ...config, ios: { ...config.ios, infoPlist: { NSCameraUsageDescription: 'Scan' } } };
    const once = plugin(theirs, { hosts, postbackEndpoint: endpoint });
    assert.deepEqual(once.ios?.infoPlist, {
      NSCameraUsageDescription: 'Scan',
      NSAdvertisingAttributionReportEndpoint: endpoint,
      AttributionCopyEndpoint: endpoint,
    });
    assert.deepEqual(plugin(once, { hosts, postbackEndpoint: endpoint }), once);
    const all = plugin({}, { hosts, postbackEndpoint: endpoint, reengagementPostbacks: true });
    assert.equal(all.ios?.infoPlist?.EligibleForAdAttributionKitReengagementPostbackCopies, true);
    assert.deepEqual(plugin(theirs, { hosts }).ios?.infoPlist, theirs.ios.infoPlist);
    for (const wrong of [
      'example.com',
      'http://example.com',
      'https://example.com/path',
      'https://localhost',
    ])
      assert.throws(() => plugin({}, { hosts, postbackEndpoint: wrong }), /without a path/);
  });

  it('says in words which option is wrong, and how to name the hosts', () => {
    assert.throws(() => plugin(config), /hosts is missing. Name the hosts/);
    const hosts = ['go.example.com'];
    for (const [options, message] of [
      [{ hosts, wholehost: true }, /no option “wholehost”. The options are hosts, wholeHost/],
      [{ hosts, wholeHost: 'false' }, /wholeHost is true or false/],
      [{ hosts, reengagementPostbacks: true }, /needs postbackEndpoint/],
      [{ hosts: 'go.example.com' }, /hosts is no list/],
      [{ hosts: null }, /hosts is missing/],
      [{ hosts: { 0: 'go.example.com' } }, /hosts is no list/],
      ...[
        'https://go.example.com',
        '..',
        'localhost',
        '127.0.0.1',
        '-a.example',
        'go.example.com:443',
        '*.example.com',
        7,
        null,
      ].map((host) => [{ hosts: [host] }, /is no host/] as const),
    ] as const)
      assert.throws(() => plugin(config, options), message, JSON.stringify(options));
  });

  it('warns of an endpoint for postbacks that is a subdomain, as Apple sends to the domain', (t) => {
    const warn = t.mock.method(console, 'warn', () => {});
    const warnings = (host: string) => {
      warn.mock.resetCalls();
      plugin({}, { hosts: ['go.example.com'], postbackEndpoint: `https://${host}` });
      return warn.mock.callCount();
    };
    const hosts = ['example.com', 'example.co.uk', 'go.example.com', 'go.example.co.uk'];
    assert.deepEqual(hosts.map(warnings), [0, 0, 1, 1]);
  });
});
