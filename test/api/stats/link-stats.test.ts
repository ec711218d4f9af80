/** Endpoints, Links: GET /v1/links/{shortCode}/stats. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, isoTime, startOf } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import {
  DESKTOP,
  freshAddress,
  IPHONE,
  PIXEL,
  type TestApp,
  useWorld,
  type World,
} from '../../helpers/world.ts';

const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  iosDestination: 'https://apps.apple.com/app/id1',
  fallbackUrl: 'https://example.com/',
};
const NO_OTHERS = { tool: 0, crawler: 0, preview: 0, prefetch: 0, embedded: 0, head: 0 };
const NOTHING = { clicks: 0, otherClicks: NO_OTHERS, installs: 0, opens: 0, events: 0 };

for (const engine of engines)
  describe(`endpoints, statistics of links, on ${engine}`, () => {
    const world = useWorld(engine);
    const stats = async ({ keys }: TestApp, shortCode: string, query = '', key = keys.live) =>
      await world.call('GET', `/v1/links/${shortCode}/stats${query}`, { key });
    const today = (ahead = 0) => dayOf(world.clock.nowMs() + ahead * DAY_MS);

    it('has zeros for each of the last 30 days of a link without clicks', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const { status, body } = await stats(app, shortCode);
      assert.equal(status, 200);
      const days = Array.from({ length: 30 }, (_, place) => today(place - 29));
      assert.deepEqual(body, {
        shortCode,
        from: days[0],
        to: days[29],
        totals: NOTHING,
        byDay: days.map((day) => ({ day, ...NOTHING })),
        byPlatform: [],
        byMethod: [],
        byCampaign: [],
      });
    });

    it('refuses parameters that it does not know, by name, as all statistics, logs and reports do', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      for (const path of [
        ...[`links/${link.shortCode}/stats`, 'stats', 'stats/retention', 'fraud/links', 'costs', 'audit-log'],
        ...['webhooks/deliveries', 'skan/postbacks', 'skan/summary'],
      ]) {
        const answer = await world.call('GET', `/v1/${path}?campaignid=x`, { key: app.keys.live });
        assertError(answer, 400, 'request.invalid');
        assert.match(answer.body.error, /^campaignid is no parameter here\. The parameters are /, path);
      }
      const cost = { date: '2026-01-31', campaignId: 'a', cost: { amount: '1', currency: 'EUR' } };
      const body = { costs: [cost] };
      const misspelt = await world.call('POST', '/v1/costs?dryrun=true', { key: app.keys.live, body });
      assertError(misspelt, 400, 'request.invalid', /^dryrun is no parameter here/);
    });

    it('has human clicks, and other clicks by kind, by day, platform and campaign', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
      for (const userAgent of [
        IPHONE,
        IPHONE,
        PIXEL,
        DESKTOP,
        'curl/8.5.0',
        'Googlebot/2.1',
        'Twitterbot/1.0',
      ])
        await world.tap(shortCode, { userAgent });
      await world.tap(shortCode, { method: 'HEAD' });
      await world.tap(shortCode, { headers: { 'sec-purpose': 'prefetch' } });
      await world.tap(shortCode, { headers: { 'sec-fetch-dest': 'image' } });
      const change = { campaignId: null };
      await world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body: change });
      await world.tap(shortCode);

      const { body } = await stats(app, shortCode);
      const others = { tool: 1, crawler: 1, preview: 1, prefetch: 1, embedded: 1, head: 1 };
      assert.deepEqual(body.totals, { ...NOTHING, clicks: 5, otherClicks: others });
      assert.deepEqual(body.byDay.at(-1), { day: today(), ...body.totals });
      const clicks = (clicks: number, otherClicks = {}) => ({
        ...NOTHING,
        clicks,
        otherClicks: { ...NO_OTHERS, ...otherClicks },
      });
      assert.deepEqual(body.byPlatform, [
        { platform: null, ...clicks(1, { tool: 1, crawler: 1, preview: 1 }) },
        { platform: 'ANDROID', ...clicks(1) },
        { platform: 'IOS', ...clicks(3, { head: 1, prefetch: 1, embedded: 1 }) },
      ]);
      assert.deepEqual(body.byCampaign, [
        { campaignId: null, ...clicks(1) },
        { campaignId: 'spring', ...clicks(4, others) },
      ]);
      assert.deepEqual(body.byMethod, []);
    });

    it('has installs and opens by method, and events by the method of their install', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      const byClick = await installOf(world, app, { clickId: await tapOf(shortCode) });
      await installOf(world, app, { installReferrer: `svc_click_id=${await tapOf(shortCode)}` });
      await installOf(world, app, {});
      const open = { clickId: await tapOf(shortCode), fingerprint: { platform: 'ANDROID' } };
      assert.equal((await sdk(app, 'open', open)).body.method, 'CLICK_ID');
      for (const eventName of ['a', 'b', 'c'])
        await sdk(app, 'event', { installId: byClick, eventName, eventId: randomUUID() });

      const { body } = await stats(app, shortCode);
      assert.deepEqual(body.totals, { ...NOTHING, clicks: 3, installs: 2, opens: 1, events: 3 });
      assert.deepEqual(body.byMethod, [
        { method: 'CLICK_ID', installs: 1, opens: 1, events: 3 },
        { method: 'INSTALL_REFERRER', installs: 1, opens: 0, events: 0 },
      ]);
      assert.deepEqual(body.byPlatform, [{ platform: 'ANDROID', ...body.totals }]);
    });

    it('covers the requested days in UTC, both included', async () => {
      const app = await world.newApp(STORES);
      const { shortCode } = await world.newLink(app);
      const untilMidnightMs = startOf('day', world.clock.nowMs()) + DAY_MS - world.clock.nowMs();
      // Midnight falls between the two taps of a pair, some seconds from each.
      world.clock.advance(untilMidnightMs - 30_000);
      for (let night = 0; night < 2; night++) {
        await world.tap(shortCode);
        world.clock.advance(60_000);
        await world.tap(shortCode);
        world.clock.advance(DAY_MS - 60_000);
      }
      const first = today(-2);
      const clicksBy = async (query: string) =>
        (await stats(app, shortCode, query)).body.byDay.map((day: { clicks: number }) => day.clicks);
      assert.deepEqual(await clicksBy(`?from=${first}&to=${today()}`), [1, 2, 1]);
      assert.deepEqual(await clicksBy(`?from=${first}&to=${first}`), [1]);
      assert.deepEqual(await clicksBy(`?from=${today(-1)}`), [2, 1]);
      assert.deepEqual((await clicksBy(`?to=${today(-1)}`)).slice(-3), [0, 1, 2]);
      const year = `?from=${today(-365)}&to=${today()}`;
      assert.equal((await stats(app, shortCode, year)).body.totals.clicks, 4);
      assert.equal((await clicksBy(year)).length, 366);
    });

    for (const [query, text] of [
      ['?from=2026-02-30', /^from must be a day from 1970 on, such as 2026-01-31\./],
      ['?from=yesterday', /from must be a day such as 2026-01-31/],
    ] as const)
      it(`gets 400 for ${query}`, async () => {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app);
        assertError(await stats(app, shortCode, query), 400, 'request.invalid', text);
      });

    it('gets 404 for an unknown link, another app’s, and a deleted link', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      assertError(await stats(app, 'unknown'), 404, 'link.not_found');
      assertError(await stats(app, 'no%20code'), 404, 'link.not_found');
      assertError(await stats(await world.newApp(), shortCode), 404, 'link.not_found');
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assertError(await stats(app, shortCode), 404, 'link.not_found');
    });

    it('a live link gets 404 with a test key, which can read a sandbox link', async () => {
      const app = await world.newApp();
      const live = await world.newLink(app);
      const sandbox = await world.newLink(app, {}, app.keys.test);
      assertError(await stats(app, live.shortCode, '', app.keys.test), 404, 'link.not_found');
      assert.equal((await stats(app, sandbox.shortCode, '', app.keys.test)).status, 200);
      assertError(await stats(app, live.shortCode, '', app.keys.live_publishable), 401, 'key.wrong_kind');
    });

    it('the statistics of a sandbox link include debug builds, those of a live link do not', async () => {
      const app = await world.newApp(STORES);
      const live = await world.newLink(app);
      const sandbox = await world.newLink(app, {}, app.keys.test);
      for (const { shortCode } of [live, sandbox]) {
        const clickId = await tapOf(shortCode);
        const installId = await installOf(world, app, { clickId }, app.keys.test);
        await sdk(app, 'event', { installId, eventName: 'a' }, app.keys.test);
      }
      assert.deepEqual((await stats(app, live.shortCode)).body.totals, { ...NOTHING, clicks: 1 });
      assert.deepEqual((await stats(app, sandbox.shortCode)).body.totals, {
        ...NOTHING,
        clicks: 1,
        installs: 1,
        events: 1,
      });
    });

    const sdk = async ({ keys }: TestApp, path: string, body: unknown, key = keys.live_publishable) =>
      await world.call('POST', `/v1/sdk/${path}`, { key, body, from: freshAddress() });
    const tapOf = async (shortCode: string) => await world.clickId(shortCode, { from: freshAddress() });
  });

/** An install from a new address, so that no fingerprint matches. */
async function installOf(world: World, app: TestApp, body: object, key = app.keys.live_publishable) {
  const phone = { fingerprint: { platform: 'ANDROID' }, ...body };
  return (await world.install(app, phone, { key, from: freshAddress() })).body.installId as string;
}

function dayOf(ms: number): string {
  return isoTime(ms).slice(0, 'YYYY-MM-DD'.length);
}
