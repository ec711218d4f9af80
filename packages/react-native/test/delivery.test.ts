/**
 * Links as iOS brings them to JavaScript, cold and warm, into the example app, React Navigation's `linking` and Expo Router's
 * native intent. The deliveries are a model of react-native#57700 (0.88), expo#47628 and expo#50235 (SDK 58), not their code.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { DeepLink, Throughline } from '@throughline/core';
import { act, type ComponentType, createElement } from 'react';
import { createRoot, type Root } from 'test-renderer';
import {
  ASYNC_STORAGE,
  asyncStorage,
  BASE_URL,
  createClient,
  LINK,
  library,
  newPhone,
  phone,
  receiveUrl,
} from './host.ts';

const { createLinking, createNativeIntent, hrefOf, ThroughlineProvider, useDeepLink } = library;

interface Delivery {
  /** Whether a link that starts the app also comes as an event, once JavaScript listens. */
  readonly repeatsColdLink: boolean;
  /** What the app's own code forwards to `RCTLinkingManager`. */
  readonly forwards: 'scene calls' | 'app delegate calls';
  /** By `UIApplicationSceneManifest`: `RCTLinkingManager` then ignores the calls of the app delegate. */
  readonly hasScenes: boolean;
}

const DELIVERIES: Readonly<Record<string, Delivery>> = {
  'React Native 0.88 with scenes': { repeatsColdLink: false, forwards: 'scene calls', hasScenes: true },
  'React Native without scenes': { repeatsColdLink: true, forwards: 'app delegate calls', hasScenes: false },
  'Expo 58': { repeatsColdLink: true, forwards: 'scene calls', hasScenes: true },
};
/** A second tap on the same link is another tap from here on. */
const NEXT_TAP_MS = 1_050;
let aheadMs = 0;
const uptime = performance.now.bind(performance);
mock.method(performance, 'now', () => uptime() + aheadMs);

/** @param start begins the JavaScript of the app. */
async function tapCold(delivery: Delivery, url: string, start: () => Promise<void>): Promise<void> {
  newPhone({ initialUrl: url });
  await start();
  if (delivery.repeatsColdLink) await tapWarm(delivery, url);
}

async function tapWarm({ forwards, hasScenes }: Delivery, url: string): Promise<void> {
  const isIgnored = hasScenes && forwards === 'app delegate calls';
  await act(async () => {
    if (!isIgnored) receiveUrl(url);
    await wait(60);
  });
}

// Of missing modules.
mock.method(console, 'warn', () => {});
beforeEach(() => newPhone());

describe('the example app', () => {
  let starts = 0;
  const opens: { openId?: string }[] = [];

  async function startExample(): Promise<{ root: Root; path(): unknown }> {
    starts += 1;
    phone.installed.set(ASYNC_STORAGE, asyncStorage());
    const module = `../../../examples/expo/src/App.tsx?start=${starts}`;
    const { default: App } = (await import(module)) as { default: ComponentType };
    const root = createRoot({ textComponentTypes: ['Text'] });
    await act(async () => {
      root.render(createElement(App));
      await wait(60);
    });
    return {
      root,
      path: () => root.container.queryAll(({ props }) => props.testID === 'path')[0]?.children.join(''),
    };
  }

  beforeEach(() => {
    opens.length = 0;
    Object.assign(globalThis, { fetch: answer });
  });
  async function answer(url: string, { body }: { body: string }) {
    const sent = JSON.parse(body);
    if (url.endsWith('/resolve')) opens.push(sent);
    const link = { deepLinkPath: `/screen${new URL(sent.url ?? LINK).pathname}`, deepLinkParams: {} };
    const result = url.endsWith('/resolve')
      ? { ...link, isDeferred: false, campaignId: null }
      : { attributed: false, method: 'ORGANIC', installId: sent.installId, metadata: {}, results: [] };
    return { status: 200, headers: new Headers(), text: async () => JSON.stringify(result) };
  }

  for (const [name, delivery] of Object.entries(DELIVERIES))
    it(`shows the screen of a link that starts it and of each later one, by ${name}`, async () => {
      let app: Awaited<ReturnType<typeof startExample>> | undefined;
      await tapCold(delivery, `${BASE_URL}/l/cold`, async () => {
        app = await startExample();
      });
      assert.equal(app?.path(), '/screen/l/cold');
      await tapWarm(delivery, `${BASE_URL}/l/warm`);
      assert.equal(app?.path(), '/screen/l/warm');
      aheadMs += NEXT_TAP_MS;
      await tapWarm(delivery, `${BASE_URL}/l/cold`);
      assert.equal(app?.path(), '/screen/l/cold');
      assert.equal(opens.length, 3, 'one open a tap');
      assert.equal(new Set(opens.map(({ openId }) => openId)).size, 3);
      await act(async () => app?.root.unmount());
    });

  it('gets no link of a running app that has scenes and forwards the calls of its app delegate', async () => {
    const delivery = { repeatsColdLink: false, forwards: 'app delegate calls', hasScenes: true } as const;
    const { root, path } = await startExample();
    await tapWarm(delivery, `${BASE_URL}/l/warm`);
    assert.equal(path(), '/');
    await act(async () => root.unmount());
  });
});

describe('the linking of React Navigation', () => {
  for (const [name, delivery] of Object.entries(DELIVERIES))
    it(`gets each link once, by ${name}`, async () => {
      const opens: Record<string, unknown>[] = [];
      const urls: (string | null)[] = [];
      await tapCold(delivery, LINK, async () => {
        const client = createClient({ opens });
        const linking = createLinking(client, {});
        const initial = linking.getInitialURL();
        linking.subscribe((url) => urls.push(url));
        await client.start();
        urls.push(await initial);
        linking.onReady();
        await wait(20);
      });
      const path = 'throughline://shoes/42?size=43';
      assert.deepEqual(urls, [path]);
      await tapWarm(delivery, `${LINK}2`);
      aheadMs += NEXT_TAP_MS;
      await tapWarm(delivery, LINK);
      assert.deepEqual(urls, [path, path, path]);
      assert.equal(opens.length, 3);
    });
});

describe('Expo Router', () => {
  /** Its calls of `+native-intent`, and a root layout with the handler of the README. */
  async function startRouter(client: Throughline): Promise<{ root: Root; screens: string[] }> {
    const { redirectSystemPath } = createNativeIntent(client);
    const screens: string[] = [];
    const show = async (path: string, initial: boolean) => {
      screens.push(await redirectSystemPath({ path, initial }));
    };
    function Layout() {
      useDeepLink((link: DeepLink) =>
        screens.push(`${link.correctionOf ? 'replaced by ' : ''}${hrefOf(link)}`),
      );
      return null;
    }
    const root = createRoot();
    await act(async () => {
      // It subscribes before its first screen.
      phone.urlListeners.add(({ url }) => void show(url, false));
      await show(phone.initialUrl ?? '/', true);
      root.render(createElement(ThroughlineProvider, { client }, createElement(Layout)));
      await wait(60);
    });
    return { root, screens };
  }

  for (const [name, delivery] of Object.entries(DELIVERIES))
    it(`opens the screen of each link, and records one open a tap, by ${name}`, async () => {
      const opens: Record<string, unknown>[] = [];
      let router: Awaited<ReturnType<typeof startRouter>> | undefined;
      await tapCold(delivery, LINK, async () => {
        router = await startRouter(createClient({ opens }));
      });
      assert.deepEqual(new Set(router?.screens), new Set(['/shoes/42?size=43']));
      assert.equal(opens.length, 1);
      await tapWarm(delivery, `${LINK}2`);
      aheadMs += NEXT_TAP_MS;
      await tapWarm(delivery, LINK);
      assert.equal(opens.length, 3);
      assert.ok(router?.screens.every((screen) => screen === '/shoes/42?size=43'));
      await act(async () => router?.root.unmount());
    });

  it('shows its first screen before the service answers, and the right one as soon as it has', async () => {
    let router: Awaited<ReturnType<typeof startRouter>> | undefined;
    await tapCold(DELIVERIES['Expo 58'] as Delivery, LINK, async () => {
      router = await startRouter(createClient({ answerAfterMs: 500 }));
    });
    assert.deepEqual(router?.screens[0], '/');
    await act(async () => await wait(1_500));
    assert.equal(router?.screens.at(-1), 'replaced by /shoes/42?size=43');
    await act(async () => router?.root.unmount());
  });
});
