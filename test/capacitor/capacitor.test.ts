/** The Capacitor plugin in Chromium against the real service: over core on the web, and over Capacitor's bridge as on phones. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { bridgeScript } from '../../packages/capacitor/test/bridge-script.ts';
import { FakeNative } from '../../packages/capacitor/test/fake-native.ts';
import type { Attribution, DeepLink, Fetch, Ports } from '../../packages/core/src/index.ts';
import { DEVICES, type Page, useBrowser } from '../helpers/browser.ts';
import { serveCapacitorApp } from '../helpers/capacitor-app.ts';
import { neutralEngines } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { STORES } from '../helpers/landing-scene.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../helpers/world.ts';

const LINK = { ...STORES, campaignId: 'spring', deepLinkPath: '/shoes/42', deepLinkParams: { size: 43 } };
const IPHONE = 'iPhone17,1';

const browser = await useBrowser();
const shop = await serveCapacitorApp();
const port = await freePort();
/** Of the service, which takes addresses of the app's own site for short links too. */
const base = `http://127.0.0.1:${port}`;
const [engine = 'sqlite'] = neutralEngines;

describe('the Capacitor plugin', { skip: browser.missing }, () => {
  const world = useWorld(engine, { SHORT_LINK_URL: base, PUBLIC_URL: shop.url });
  before(async () => {
    await world.service.api.listen({ host: '127.0.0.1', port });
  });
  after(() => shop.close());
  afterEach(() => browser.closePages());

  /** Creates the client of a page, which notes what it hears in `links` and `logs`. */
  async function create(page: Page, app: TestApp, hosts: readonly string[] = [shop.host]): Promise<void> {
    const config = JSON.stringify({ baseUrl: base, key: app.keys.live_publishable, hosts });
    await page.evaluate(`void (links = [], logs = [],
      client = createThroughline({ ...${config}, onLog: (entry) => logs.push(entry) }))`);
  }
  const listen = (page: Page) => page.evaluate('void (stop = client.onDeepLink((link) => links.push(link)))');
  const start = async (page: Page, app: TestApp) => {
    await create(page, app);
    await listen(page);
    await page.evaluate('client.start()');
  };
  const firstOpen = (page: Page) => page.evaluate<Attribution>('client.firstOpen()');
  const heard = async (page: Page, count = 1) =>
    await waitFor(`${count} links`, async () => {
      const links = await page.evaluate<DeepLink[]>('links');
      return links.length >= count ? links : undefined;
    });
  const list = async (app: TestApp, path: string) =>
    (await world.call('GET', path, { key: app.keys.live })).body;

  async function tap(page: Page, app: TestApp): Promise<void> {
    const { id, shortCode } = await world.newLink(app, LINK);
    await page.goto(`${base}/l/${shortCode}`);
    await page.reached(STORES.iosDestination);
    await waitFor('the signals of the click', async () => {
      const sql = `select id from clicks where link_id = '${id}' and signals_at is not null`;
      return (await queryStored(world.place, sql))[0];
    });
  }

  describe('on the web', () => {
    it('matches the tap at its first start, and a reload is neither an install nor the link again', async () => {
      const app = await world.newApp();
      const page = await browser.open(DEVICES.iphone);
      await tap(page, app);
      await page.goto(shop.url);
      await start(page, app);
      const first = await firstOpen(page);
      assert.deepEqual([first.method, first.campaignId], ['FINGERPRINT', 'spring']);
      const [link] = await heard(page);
      assert.deepEqual([link?.path, link?.params, link?.deferred], ['/shoes/42', { size: 43 }, true]);

      await page.goto(shop.url);
      await start(page, app);
      assert.deepEqual(await firstOpen(page), first);
      assert.deepEqual(await page.evaluate('links'), []);
      assert.equal((await list(app, '/v1/installs')).length, 1);
    });

    it('sends what was tracked when the page is hidden', async () => {
      const app = await world.newApp();
      const page = await browser.open(DEVICES.pixel);
      await page.goto(shop.url);
      await start(page, app);
      await firstOpen(page);
      await page.evaluate(`void (
        client.identify('user-17'),
        client.track('purchase', { items: 2 }, { amount: '19.99', currency: 'EUR', transactionId: 'order-1' }),
        document.dispatchEvent(new Event('visibilitychange')))`);
      const [event] = await waitFor('the event', async () => {
        const events = await list(app, '/v1/events?eventName=purchase');
        return events.length > 0 ? events : undefined;
      });
      assert.deepEqual(
        [event.userId, event.revenue.amount, event.properties],
        ['user-17', '19.99', { items: 2 }],
      );
    });

    it('delivers the link of its address once over reloads, and again for a new visit', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, LINK);
      const page = await browser.open(DEVICES.pixel);
      const address = `http://${shop.host}/l/${shortCode}?color=red`;
      const visit = async (go: () => Promise<unknown>) => {
        await go();
        await start(page, app);
        // Its answer comes after those of the links.
        await page.evaluate('client.handleUrl(location.href + "&again")');
        return await page.evaluate<DeepLink[]>('links');
      };
      const [link, ...others] = await visit(() => page.goto(address));
      assert.deepEqual(
        [link?.path, link?.params, link?.url],
        ['/shoes/42', { size: 43, color: 'red' }, address],
      );
      assert.deepEqual(others, []);
      assert.deepEqual(await visit(() => page.reload()), []);
      assert.equal((await visit(() => page.goto(address))).length, 1);
    });

    it('of a computer resolves links, once over reloads, and records nothing, so that the phone behind the same address keeps its tap', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, LINK);
      const address = `http://${shop.host}/l/${shortCode}`;
      const phone = await browser.open(DEVICES.tablet);
      await tap(phone, app);
      const page = await browser.open(DEVICES.desktop);
      for (const paths of [['/shoes/42'], []]) {
        await (paths.length === 1 ? page.goto(address) : page.reload());
        await page.evaluate(
          `localStorage.setItem('throughline.state', JSON.stringify({ consent: 'granted' }))`,
        );
        await start(page, app);
        await page.evaluate(`client.setConsent('granted')`);
        await page.evaluate(`void (client.identify('user-17'), client.track('bought'))`);
        await page.evaluate('client.flush()');
        await page.evaluate('client.handleUrl(location.href + "?again")');
        const links = await page.evaluate<DeepLink[]>('links');
        assert.deepEqual(
          links.map(({ path }) => path),
          paths,
        );
        const reasons = (await page.evaluate<{ message: string }[]>('logs')).map(({ message }) => message);
        assert.equal(reasons.filter((message) => /on a computer/.test(message)).length, 1, reasons.join());
      }
      assert.match(await page.evaluate('client.explain().then(({ reason }) => reason)'), /on a computer/);
      assert.match(await page.evaluate(`client.setConsent('yes').catch(({ name }) => name)`), /TypeError/);
      for (const path of ['/v1/installs', '/v1/events']) assert.deepEqual(await list(app, path), []);
      // An iPad calls itself a Macintosh.
      await phone.goto(shop.url);
      await start(phone, app);
      assert.equal((await firstOpen(phone)).campaignId, 'spring');
      assert.equal((await list(app, '/v1/installs'))[0].platform, 'IOS');
    });

    it('records in one tab at a time: another one resolves links, and records once the first is closed', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, LINK);
      const config = JSON.stringify({
        baseUrl: base,
        key: app.keys.live_publishable,
        firstOpenTimeoutMs: 100,
      });
      const page = await browser.open(DEVICES.pixel);
      await page.goto(shop.url);
      await page.evaluate(`new Promise((loaded) => {
        tab = document.createElement('iframe');
        tab.src = '/';
        tab.onload = () => loaded();
        document.body.append(tab);
      })`);
      await page.evaluate(
        `void (first = tab.contentWindow.createThroughline({ ...${config}, firstOpenTimeoutMs: 20_000 }))`,
      );
      const { installId } = await page.evaluate<Attribution>('first.firstOpen()');
      await page.evaluate(
        `void (second = createThroughline({ ...${config}, onLog: () => {} }), second.track('bought'))`,
      );
      assert.equal(await page.evaluate('second.firstOpen().then(({ pending }) => pending)'), true);
      assert.match(await page.evaluate('second.explain().then(({ reason }) => reason)'), /another tab/);
      const link = await page.evaluate<DeepLink>(`second.handleUrl('${base}/l/${shortCode}')`);
      assert.equal(link.path, '/shoes/42');
      await page.evaluate('tab.remove()');
      const event = await waitFor(
        'the event',
        async () => (await list(app, '/v1/events?eventName=bought'))[0],
      );
      assert.equal(event.installId, installId);
      assert.equal((await list(app, '/v1/installs')).length, 1);
    });
  });

  for (const platform of ['android', 'ios'] as const)
    describe(`over the bridge of ${platform}, with a fake native side`, () => {
      /** A page of an app whose native half is the fake; what the phone stores stays with it. */
      async function open(ports: Ports = {}): Promise<{ page: Page; fake: FakeNative }> {
        const page = await browser.open(platform === 'ios' ? DEVICES.iphone : DEVICES.pixel);
        const values = new Map<string, string>();
        const phone: Ports = {
          storage: {
            getItem: (key) => values.get(key) ?? null,
            setItem: (key, value) => values.set(key, value),
            removeItem: (key) => values.delete(key),
          },
          device: async () => ({ platform: 'IOS', deviceModel: IPHONE }),
          ...ports,
        };
        const fake = new FakeNative(
          () => phone,
          // The page may have gone.
          (expression) => void page.evaluate(expression).catch(() => undefined),
        );
        await page.expose('toNative', (text) => fake.receive(text));
        await page.beforeScripts(bridgeScript(platform, 'toNative'));
        await page.goto(shop.url);
        return { page, fake };
      }

      it('answers as core does, and its client outlives a reload of the page', async () => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app, LINK);
        const url = `http://${shop.host}/l/${shortCode}`;
        const initial = async () => url;
        const { page, fake } = await open({
          links: { initial, subscribe: () => () => {}, launchId: () => 'one' },
        });
        await create(page, app);
        await page.evaluate('client.start()');
        // The link of the launch waits for the first listener.
        assert.deepEqual(await page.evaluate('links'), []);
        await listen(page);
        const [link] = await heard(page);
        assert.deepEqual(
          { ...link },
          {
            ...{ path: '/shoes/42', params: { size: 43 }, url, deferred: false, campaignId: 'spring' },
            ...{ method: 'DIRECT', confidence: null },
          },
        );
        const first = await firstOpen(page);
        assert.deepEqual([first.method, first.pending, first.link], ['ORGANIC', false, null]);
        assert.equal(await page.evaluate(`client.isLink('${url}')`), true);
        assert.equal(await page.evaluate(`client.isLink('https://other.example/l/x')`), false);
        assert.equal(await page.evaluate(`client.handleUrl('https://other.example/l/x')`), null);
        assert.equal(await page.evaluate('client.handleUrl(null)'), null);
        assert.equal(await page.evaluate(`client.claim('no link')`), null);

        await page.evaluate(`void (client.identify('user-17'), client.track('paid', { items: [1, null] },
          { amount: '19.99', currency: 'EUR' }), client.logout(), client.track('left'))`);
        await page.evaluate('client.flush()');
        const events = await list(app, '/v1/events');
        const told = events.map(({ eventName, userId, properties }: Record<string, unknown>) => [
          ...[eventName, userId, properties],
        ]);
        assert.deepEqual(told.sort(), [
          ['left', null, {}],
          ['paid', 'user-17', { items: [1, null] }],
        ]);

        fake.pageEnded();
        await page.goto(shop.url);
        await start(page, app);
        assert.deepEqual(await firstOpen(page), first);
        assert.deepEqual(await page.evaluate('links'), []);
        const { reason, queuedEvents } = await page.evaluate<{ reason: string; queuedEvents: number }>(
          'client.explain()',
        );
        assert.match(reason, /organic|matched|install/i);
        assert.equal(queuedEvents, 0);
        assert.equal((await list(app, '/v1/installs')).length, 1);
      });

      it('tells failures as core does', async () => {
        const app = await world.newApp();
        const { page } = await open({ fetch: withLimit });
        await start(page, app);
        await firstOpen(page);
        const failure = `({ name, message, code, retryAt }) => ({ name, message, code, retryAt: retryAt?.toISOString() ?? null })`;
        const refused = await page.evaluate<{ name: string; code: string; retryAt: null }>(
          `client.createLink({ deepLinkPath: '/invite/42' }).catch(${failure})`,
        );
        assert.deepEqual([refused.name, refused.code, refused.retryAt], ['LinkError', 'app_links.off', null]);
        const limited = await page.evaluate<{ code: string; retryAt: string }>(
          `client.createLink({ deepLinkPath: '/limited' }, { timeoutMs: 5_000 }).catch(${failure})`,
        );
        assert.equal(limited.code, 'rate.limited');
        assert.ok(Math.abs(Date.parse(limited.retryAt) - Date.now() - 3_600_000) < 60_000, limited.retryAt);
        assert.deepEqual(
          await page.evaluate(`Promise.all([null, { deepLinkPath: 7 }, { deepLinkPath: '/a', deepLinkParams: { big: 1n } }]
            .map((link) => client.createLink(link).catch((error) => [error instanceof LinkError, error.code])))`),
          Array(3).fill([true, 'request.invalid']),
        );
        assert.match(
          await page.evaluate(`client.setConsent('yes').catch(({ name, message }) => name + message)`),
          /TypeError.*"granted"/,
        );
        assert.match(
          await page.evaluate(`client.handleUrl(7).catch(({ name, message }) => name + message)`),
          /TypeError.*takes a text/,
        );
        await page.evaluate(`void ([{ amount: 19.99, currency: 'EUR' }, { amount: '1', currency: 'euro' }].map((revenue) =>
          client.track('paid', {}, revenue)), client.track(''), client.track('odd', { big: 1n }), client.track('list', []),
          client.track(StandardEvent.purchase({ revenu: 7 })), client.track(StandardEvent.login(), { method: 'email' }))`);
        const messages = await waitFor('six refusals', async () => {
          const logs = await page.evaluate<{ level: string; message: string }[]>('logs');
          const isThere = logs.filter(({ level }) => level === 'error').length >= 6;
          return isThere ? logs.map(({ message }) => message) : undefined;
        });
        const remarks = [
          /“purchase” was not tracked/,
          /“purchase” has no field revenu,/,
          /“login”: its fields go/,
        ];
        for (const reason of [/amount/, /currency/, /not empty/, /BigInt/, /object/, ...remarks])
          assert.ok(
            messages.some((message) => reason.test(message)),
            `${reason}: ${messages.join('\n')}`,
          );
      });

      it('keeps links for the next listener when the last one goes', async () => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app, LINK);
        let report = (_url: string) => {};
        const subscribe = (listener: typeof report) => {
          report = listener;
          return () => {};
        };
        const { page } = await open({ links: { initial: async () => null, subscribe } });
        await start(page, app);
        await firstOpen(page);
        await page.evaluate('void stop()');
        report(`http://${shop.host}/l/${shortCode}`);
        await page.evaluate('client.flush()');
        assert.deepEqual(await page.evaluate('links'), []);
        await listen(page);
        assert.equal((await heard(page))[0]?.path, '/shoes/42');
      });
    });

  it('resolves links and records nothing in a build without the native half', async () => {
    const app = await world.newApp();
    const { shortCode } = await world.newLink(app, LINK);
    const page = await browser.open(DEVICES.pixel);
    await page.beforeScripts('window.androidBridge = { postMessage() {} }');
    await page.goto(shop.url);
    await start(page, app);
    await page.evaluate(`client.setConsent('granted')`);
    const url = `http://${shop.host}/l/${shortCode}`;
    const link = await page.evaluate<DeepLink>(`client.handleUrl('${url}')`);
    assert.equal(link.path, '/shoes/42');
    const [log] = await page.evaluate<{ message: string }[]>('logs');
    assert.match(log?.message ?? '', /npx cap sync/);
    assert.deepEqual(await list(app, '/v1/installs'), []);
  });
});

/** The network of a phone, where the service has made the links of the day. */
const withLimit: Fetch = async (url, init) =>
  init.body?.includes('/limited')
    ? new Response(JSON.stringify({ error: 'Too many links' }), {
        status: 429,
        headers: { 'retry-after': '3600', 'x-service-error': 'rate.limited' },
      })
    : await fetch(url, init);
