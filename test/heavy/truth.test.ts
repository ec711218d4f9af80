/** Every number of the statistics equals a count over the lists, for random traffic and many filters. */
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { Temporal } from 'temporal-polyfill';
import type { NewClick } from '../../src/click-log/click.ts';
import { type ClickLog, JOURNAL_LIMITS, openClickLog } from '../../src/click-log/click-log.ts';
import type { Store } from '../../src/db/index.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../../src/lib/clock.ts';
import { dropOld } from '../../src/privacy/retention.ts';
import { FILTER_DIMENSIONS } from '../../src/stats/dimension-filter.ts';
import { toDecimal, toTenThousandths } from '../../src/stats/revenue.ts';
import { awaitClaim, storeClaim } from '../helpers/claims.ts';
import { engines } from '../helpers/engines.ts';
import { useTwoNodes } from '../helpers/nodes.ts';
import { liftRateLimits } from '../helpers/rate-limits.ts';
import { newInstall, newShareLink, newSharingApp } from '../helpers/share-links.ts';
import { waitFor } from '../helpers/wait-for.ts';
import {
  DESKTOP,
  freshAddress,
  IPHONE,
  PIXEL,
  type TestApp,
  useWorld,
  type World,
} from '../helpers/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of a list, whose fields the test reads.
type Item = any;
type Items = Record<'clicks' | 'installs' | 'opens' | 'events', Item[]>;

const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
  fallbackUrl: 'https://example.com/',
};
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
];
const SOURCES = ['', '?utm_source=mail&utm_medium=email', '?utm_source=%3Dads&utm_campaign=a%09b', '?x=1'];
const REFERRERS = ['', 'https://news.example/article', 'https://Social.example:8443/'];
/** Two networks have a campaign with the same ID. */
const CLAIMS = [
  { name: 'apple_ads', campaignId: '111' },
  { name: 'apple_ads', campaignId: '222' },
  { name: 'apple_ads', campaignId: '222', test: true },
  { name: 'meta', campaignId: '111', campaignName: 'Spring "sale"' },
  { name: 'google_ads' },
] as const;
const AGENTS = [IPHONE, PIXEL, DESKTOP, 'curl/8.5.0', 'Googlebot/2.1'];
const FILTERS = ([first = '', second = '']: readonly string[]): Record<string, string>[] => [
  {},
  { campaignId: 'spring' },
  { platform: 'ANDROID' },
  { shortCode: first },
  { sandbox: 'true' },
  { platform: 'IOS', campaignId: 'spring' },
  { shortCode: second, platform: 'IOS' },
];
/** Of clicks, by default. */
const RETENTION_DAYS = 90;
const SORTS = ['clicks', 'installs', 'organicInstalls', 'networkInstalls', 'opens', 'events'].concat(
  ...['payingInstalls', 'firstPurchases', 'cohortRevenue'],
);
const STEPS = 60;
const ACTIONS_PER_STEP = 6;

for (const engine of engines)
  describe(`the numbers on ${engine}`, () => {
    const nodes = engine === 'postgres' ? useTwoNodes() : null;
    const world = nodes?.first ?? useWorld(engine);
    liftRateLimits();
    const someNode = () => (randomInt(2) === 0 ? world : (nodes?.second ?? world));
    const advance = (ms: number) => {
      world.clock.advance(ms);
      nodes?.second.clock.advance(world.clock.nowMs() - nodes.second.clock.nowMs());
    };
    let app: TestApp;
    let codes: string[] = [];
    /** By the code of a link that the app made. */
    const inviters = new Map<string, string>();
    let startMs = 0;

    before(async () => {
      app = await newSharingApp(world, { allowCampaignId: true }, STORES);
      const fields = [{ campaignId: 'spring' }, { campaignId: 'spring' }, { campaignId: 'ads "1"' }, {}];
      codes = (await Promise.all(fields.map((link) => world.newLink(app, link)))).map(
        (link) => link.shortCode,
      );
      for (const campaignId of ['spring', null]) {
        const inviter = await newInstall(world, app);
        const code = await newShareLink(world, app, inviter, { campaignId });
        inviters.set(code, inviter);
        codes.push(code);
      }
      codes.push((await world.newLink(app, { sandbox: true, campaignId: 'spring' })).shortCode);
      // Clocks change in March and April.
      const march = Date.UTC(new Date(world.clock.nowMs()).getUTCFullYear() + 1, 2, 5);
      advance(march - world.clock.nowMs());
      startMs = march;
      const installs: string[] = [];
      const late = await openLateJournal(world);
      for (let step = 0; step < STEPS; step++) {
        await Promise.all(Array.from({ length: ACTIONS_PER_STEP }, () => act(installs)));
        assert.ok(await late.clickLog.record(await lateClick()));
        advance(randomInt(3 * MINUTE_MS, 26 * HOUR_MS));
      }
      await nodes?.second.service.clickLog.applied();
      // Folds the days before their late clicks arrive.
      const days = { from: isoTime(startMs).slice(0, 10), to: isoTime(world.clock.nowMs()).slice(0, 10) };
      const { totals } = await stats(days);
      await late.apply();
      const { clicks, otherClicks } = (await stats(days)).totals;
      assert.ok(clicks + otherClicks > totals.clicks + totals.otherClicks);
      await readPurchases();
    });

    async function lateClick(): Promise<NewClick> {
      const { db, ids, clock } = world.service;
      const links = await db.selectFrom('links').selectAll().where('app_id', '=', app.id).execute();
      const link = pick(links);
      return {
        ...{ app_id: app.id, id: ids.next(), link_id: link.id, campaign_id: link.campaign_id },
        ...{ sandbox: link.sandbox, visitor: pick(['human', 'crawler']), visitor_reason: null },
        ...{ platform: pick(['IOS', 'ANDROID', null]), ip_hash: null, user_agent: null },
        ...{
          accept_language: null,
          device_model: null,
          fingerprint: null,
          query: null,
          erased: null,
          erased_at: null,
          ...{ rule_id: null, path_rest: null },
        },
        ...{ country: pick(['NL', null]), referrer: pick(['news.example', null]), utm: null },
        clicked_at: isoTime(clock.nowMs()),
      };
    }

    const call = async (path: string, body: object, key = app.keys.live) => {
      const answer = await someNode().call('POST', `/v1/sdk/${path}`, { key, body, from: someAddress() });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    // In the Netherlands, Japan and Germany, and in no country.
    const someAddress = () =>
      pick(['193.0.6.', '133.242.0.', '203.0.113.', '2a02:8071::']) + randomInt(1, 255);
    const deviceOf = (platform: string) => ({
      ...{ platform, osVersion: pick(['18.1', '9', '18beta', 'next', '', null]) },
      appVersion: pick(['1.0', '2', '', null]),
    });
    const pick = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T;

    async function act(installs: string[]): Promise<void> {
      const code = pick(codes);
      const referer = pick(REFERRERS);
      const headers: Record<string, string> = referer === '' ? {} : { referer };
      const from = someAddress();
      const [isTap, isInstall, isOpen] = [randomInt(3) === 0, randomInt(3) === 0, randomInt(3) === 0];
      const isClaim = randomInt(4) === 0;
      if (isTap) {
        const userAgent = pick(AGENTS);
        await someNode().tap(code + pick(SOURCES), { userAgent, from, headers });
      } else if (installs.length < 3 || isInstall) {
        const clickId =
          randomInt(3) === 0 ? null : await someNode().clickId(code + pick(SOURCES), { from, headers });
        const platform = pick(['ANDROID', 'IOS']);
        const sandbox = pick([false, false, true]);
        const existingUser = pick([undefined, null, false, false, true]);
        const body = {
          installId: randomUUID(),
          clickId,
          fingerprint: deviceOf(platform),
          debugBuild: sandbox,
          existingUser,
          // Google's claim is there at once.
          installReferrer: pick([null, null, null, 'gclid=again', `gclid=${randomUUID()}`]),
        };
        const { installId } = await call('install', body);
        await awaitClaim(world.service.db, app.id, installId);
        installs.push(installId);
      } else if (isClaim) {
        const claim = { appId: app.id, installId: pick(installs), ...pick(CLAIMS) };
        await storeClaim(someNode().service.db, claim);
      } else if (isOpen && randomInt(2) === 0) {
        const fingerprint = deviceOf(pick(['ANDROID', 'IOS']));
        const installId = pick([randomUUID(), ...installs]);
        const sandbox = code === codes.at(-1) || randomInt(4) === 0;
        const body = { shortCode: code, openId: randomUUID(), installId, fingerprint, debugBuild: sandbox };
        await Promise.all([call('resolve', body), call('resolve', body)]);
      } else if (isOpen) {
        const clickId = randomInt(3) === 0 ? null : await world.clickId(code, { from });
        const fingerprint = deviceOf('ANDROID');
        await call('open', { openId: randomUUID(), installId: pick(installs), clickId, fingerprint });
      } else {
        const events = Array.from({ length: randomInt(1, 4) }, () => pick(installs)).map((installId) => ({
          installId,
          // Of concurrent events of an install either is the first purchase: they share its name.
          ...(randomInt(2) === 0
            ? { eventName: pick(['level', 'share']) }
            : {
                eventName: installs.indexOf(installId) % 2 === 0 ? 'purchase' : 'level',
                revenue: {
                  amount: pick(['19.99', '-5', '0.0001', '999999999999.9999']),
                  currency: pick(['EUR', 'JPY']),
                },
                transactionId: pick([null, randomUUID(), 'the same']),
              }),
        }));
        await call('events', {
          events: [...events, { installId: pick(installs), eventName: 'session_start' }],
        });
      }
    }

    async function listed(query = ''): Promise<Items> {
      const { installs, events, ...others } = await readLists(query);
      return {
        ...others,
        installs: installs.map((item) => ({
          ...{ ...item, revenues: revenues.get(item.id) ?? [], claim: claims.get(item.id) ?? null },
        })),
        events: events.map((item) => ({ ...item, isFirstPurchase: firstPurchases.has(item.id) })),
      };
    }

    /** By install, but for existing users. */
    let revenues = new Map<string, Item[]>();
    /** Of installs, those that count. */
    let claims = new Map<string, { name: string; campaignId: string | null }>();
    /** IDs of events. */
    let firstPurchases = new Set<string>();
    async function readPurchases(): Promise<void> {
      const claimed = await world.service.db
        .selectFrom('installs')
        .select(['id', 'network', 'sandbox'])
        .where('app_id', '=', app.id)
        .execute();
      claims = new Map(
        claimed.flatMap(({ id, network, sandbox }) => {
          const claim = JSON.parse(network ?? 'null');
          return claim === null || (claim.test && sandbox === 0) ? [] : [[id, claim] as const];
        }),
      );
      const [live, sandbox] = [await readLists(''), await readLists('sandbox=true')];
      const installs = new Set(
        [...live.installs, ...sandbox.installs].filter((each) => !each.existingUser).map(({ id }) => id),
      );
      assert.equal(new Set(Array.from(claims.values(), ({ name }) => name)).size, 3, 'each network claims');
      const events = [...live.events, ...sandbox.events].filter(
        ({ installId, revenue }) => revenue !== null && installs.has(installId),
      );
      revenues = Map.groupBy(events, ({ installId }) => installId);
      firstPurchases = new Set(
        [...revenues.values()].flatMap((all) => {
          const paid = all.filter(({ revenue }) => !revenue.amount.startsWith('-'));
          return paid
            .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
            .slice(0, 1)
            .map(({ id }) => id);
        }),
      );
    }

    async function readLists(query: string): Promise<Items> {
      const read = async (kind: string) => {
        const visitor = kind === 'clicks' ? '&visitor=all' : '';
        const answer = await world.call('GET', `/v1/${kind}?${query}${visitor}`, {
          key: app.keys.live,
          headers: { accept: 'application/x-ndjson' },
        });
        assert.equal(answer.status, 200, answer.text);
        return answer.text
          .split('\n')
          .filter(Boolean)
          .map((line): Item => JSON.parse(line));
      };
      const [clicks, installs, opens, events] = await Promise.all(
        ['clicks', 'installs', 'opens', 'events'].map(read),
      );
      return { clicks: clicks ?? [], installs: installs ?? [], opens: opens ?? [], events: events ?? [] };
    }

    async function stats(query: Record<string, string>) {
      const answer = await world.call('GET', `/v1/stats?${new URLSearchParams(query)}`, {
        key: app.keys.live,
      });
      assert.equal(answer.status, 200, answer.text);
      return JSON.parse(answer.text, (name, value) => (OF_COSTS.has(name) ? undefined : value));
    }

    function days(timezone: string) {
      const dateAt = (ms: number) =>
        Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();
      return {
        from: dateAt(startMs).add({ days: 2 }).toString(),
        to: dateAt(world.clock.nowMs()).subtract({ days: 3 }).toString(),
      };
    }

    function daysBefore({ from, to }: { from: string; to: string }) {
      const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
      const days = first.until(last).days + 1;
      return { from: first.subtract({ days }).toString(), to: first.subtract({ days: 1 }).toString() };
    }

    /** ISO bounds of local days, as a list's `from` and `to`. */
    function bounds(timezone: string, { from, to }: { from: string; to: string }) {
      const start = (date: string, add: number) =>
        Temporal.PlainDate.from(date).add({ days: add }).toZonedDateTime(timezone).toInstant().toString();
      return { from: start(from, 0), to: start(to, 1) };
    }

    for (const timezone of ZONES)
      it(`equal the lists in ${timezone}, in total, by interval and before`, async () => {
        const range = days(timezone);
        for (const filter of FILTERS(codes)) {
          const query = { ...range, timezone, ...filter };
          const answer = await stats(query);
          const items = await listed(String(new URLSearchParams({ ...bounds(timezone, range), ...filter })));
          assert.deepEqual(answer.totals, metricsOf(items), JSON.stringify(query));
          for (const [index, { at, ...metrics }] of answer.series.entries()) {
            const endAt = answer.series[index + 1]?.at ?? bounds(timezone, range).to;
            assert.deepEqual(
              metrics,
              metricsOf(between(items, at, endAt)),
              `${at} of ${JSON.stringify(query)}`,
            );
          }
          const before = daysBefore(range);
          const earlier = await listed(
            String(new URLSearchParams({ ...bounds(timezone, before), ...filter })),
          );
          const { from: earlierFrom, to: earlierTo, ...previous } = answer.previous;
          assert.deepEqual(previous, metricsOf(earlier), `before ${JSON.stringify(query)}`);
          assert.deepEqual(
            [Date.parse(earlierFrom), Date.parse(earlierTo)],
            Object.values(bounds(timezone, before)).map(Date.parse),
          );
        }
      });

    it('by every dimension equal the lists, and groups and other add up to the totals', async () => {
      const timezone = 'Asia/Kathmandu';
      const range = days(timezone);
      const [live, sandbox] = [await listed(), await listed('sandbox=true')];
      const keys = {
        ...keysBy({
          installs: [...live.installs, ...sandbox.installs],
          clicks: [...live.clicks, ...sandbox.clicks],
        }),
        inviter: ({ shortCode }: Item) => inviters.get(shortCode) ?? null,
      };
      for (const filter of [...FILTERS(codes), { shortCode: codes[4] ?? '' }]) {
        const items = await listed(String(new URLSearchParams({ ...bounds(timezone, range), ...filter })));
        const before = bounds(timezone, daysBefore(range));
        const earlierItems = await listed(String(new URLSearchParams({ ...before, ...filter })));
        for (const [groupBy, keyOf] of Object.entries(keys)) {
          const query = { ...range, timezone, groupBy, limit: '100', ...filter };
          const { groups, other, previous } = await stats(query);
          const expected = groupItems(items, keyOf);
          const earlier = groupItems(earlierItems, keyOf);
          const addedUp = [...groups, other].map((group) => group.previous);
          for (const group of groups)
            assert.deepEqual(
              group.previous,
              metricsOf(earlier.get(keyOfGroup(group)) ?? NO_ITEMS),
              `${group.key} before ${JSON.stringify(query)}`,
            );
          for (const metric of ['clicks', 'installs', 'networkInstalls', 'payingInstalls', 'events'])
            assert.equal(
              addedUp.reduce((sum, each) => sum + each[metric], 0),
              previous[metric],
            );
          assert.deepEqual(
            Object.fromEntries(
              groups.map((group: Item) => {
                const { key: _, label: __, network: ___, previous: ____, ...metrics } = group;
                return [String(keyOfGroup(group)), metrics];
              }),
            ),
            Object.fromEntries([...expected].map(([key, group]) => [String(key), metricsOf(group)])),
            JSON.stringify(query),
          );
          const { previous: _, ...others } = other;
          assert.deepEqual(others, metricsOf(NO_ITEMS));
        }
      }
    });

    it('with a value of a dimension equal the lists, in total, by interval, platform, campaign and link', async () => {
      const timezone = 'America/St_Johns';
      const range = days(timezone);
      const [live, sandbox] = [await listed(), await listed('sandbox=true')];
      const keys = keysBy({
        installs: [...live.installs, ...sandbox.installs],
        clicks: [...live.clicks, ...sandbox.clicks],
      });
      for (const filter of FILTERS(codes).filter((each) => Object.keys(each).length < 2)) {
        const period = bounds(timezone, range);
        const items = await listed(String(new URLSearchParams({ ...period, ...filter })));
        const before = bounds(timezone, daysBefore(range));
        const earlierItems = await listed(String(new URLSearchParams({ ...before, ...filter })));
        for (const dimension of FILTER_DIMENSIONS) {
          const keyOf = keys[dimension] as KeyOf;
          const groups = groupItems(items, keyOf);
          const value = pick([...groups.keys(), null]);
          const only = groups.get(value) ?? NO_ITEMS;
          const onlyBefore = groupItems(earlierItems, keyOf).get(value) ?? NO_ITEMS;
          const query = { ...range, timezone, ...filter, ...filterOf(dimension, value), interval: 'week' };
          const isOfNetworks = dimension.startsWith('network') && value !== null;
          const groupBy = `campaign,link,platform,${isOfNetworks ? 'network,networkCampaign' : dimension}`;
          const answer = await stats({ ...query, groupBy, limit: '100', sort: pick(SORTS) });
          const { from, to, ...previous } = answer.previous;
          assert.deepEqual(
            [answer.totals, previous],
            [metricsOf(only), metricsOf(onlyBefore)],
            JSON.stringify(query),
          );
          for (const [index, { at, ...metrics }] of answer.series.entries())
            assert.deepEqual(
              metrics,
              metricsOf(between(only, at, answer.series[index + 1]?.at ?? period.to)),
            );
          for (const { groupBy: by, groups: answered } of answer.groupings) {
            const expected = groupItems(only, keys[by] as KeyOf);
            // Records without a link are among the others.
            if (by === 'link') expected.delete(null);
            const earlier = groupItems(onlyBefore, keys[by] as KeyOf);
            assert.deepEqual(
              Object.fromEntries(
                answered.map((group: Item) => {
                  const { key: _, label: __, network: ___, ...metrics } = group;
                  return [String(keyOfGroup(group)), metrics];
                }),
              ),
              Object.fromEntries(
                [...expected].map(([key, group]) => [
                  String(key),
                  { ...metricsOf(group), previous: metricsOf(earlier.get(key) ?? NO_ITEMS) },
                ]),
              ),
              `${by} of ${JSON.stringify(query)}`,
            );
          }
        }
      }
    });

    it('of an empty link, campaign or platform equal the lists, in total, by interval, before and by group', async () => {
      const range = days('UTC');
      const [period, before] = [bounds('UTC', range), bounds('UTC', daysBefore(range))];
      const keys = keysBy(await listed());
      for (const filter of [
        ...[{ campaignId: '' }, { shortCode: '' }, { platform: '' }, { campaignId: '', platform: 'IOS' }],
        ...[
          { shortCode: '', campaignId: 'spring' },
          { shortCode: codes[3] ?? '', campaignId: '' },
        ],
        { shortCode: codes[0] ?? '', campaignId: '' },
      ] as Record<string, string>[]) {
        const items = await listed(String(new URLSearchParams({ ...period, ...filter })));
        const earlier = await listed(String(new URLSearchParams({ ...before, ...filter })));
        const query = { ...range, ...filter, interval: 'week', groupBy: 'campaign,link,platform' };
        const answer = await stats({ ...query, limit: '100', sort: pick(SORTS) });
        const { from, to, ...previous } = answer.previous;
        assert.deepEqual(
          [answer.totals, previous],
          [metricsOf(items), metricsOf(earlier)],
          JSON.stringify(query),
        );
        for (const [index, { at, ...metrics }] of answer.series.entries())
          assert.deepEqual(metrics, metricsOf(between(items, at, answer.series[index + 1]?.at ?? period.to)));
        for (const { groupBy: by, groups } of answer.groupings) {
          const expected = groupItems(items, keys[by] as KeyOf);
          const ofBefore = groupItems(earlier, keys[by] as KeyOf);
          // With a filter of campaigns, records without a link are among the others.
          if (by === 'link' && filter.campaignId === '') expected.delete(null);
          assert.deepEqual(
            Object.fromEntries(groups.map(({ key, label: _, ...metrics }: Item) => [String(key), metrics])),
            Object.fromEntries(
              [...expected].map(([key, group]) => [
                String(key),
                { ...metricsOf(group), previous: metricsOf(ofBefore.get(key) ?? NO_ITEMS) },
              ]),
            ),
            `${by} of ${JSON.stringify(query)}`,
          );
        }
      }
    });

    it('of a group open exactly the records that they count', async () => {
      const timezone = 'Asia/Kathmandu';
      const range = days(timezone);
      const parameters = {
        ...{ link: 'shortCode', campaign: 'campaignId', platform: 'platform', country: 'country' },
        ...{
          referrer: 'referrer',
          utmSource: 'utmSource',
          utmMedium: 'utmMedium',
          utmCampaign: 'utmCampaign',
        },
      };
      for (const [groupBy, parameter] of Object.entries(parameters)) {
        const { groups } = await stats({ ...range, timezone, groupBy, limit: '100' });
        assert.ok(groups.length > 1, groupBy);
        for (const {
          key,
          clicks,
          otherClicks,
          installs,
          attributedInstalls,
          opens,
          events,
          revenue,
        } of groups) {
          const filter = { ...bounds(timezone, range), [parameter]: key ?? '' };
          const items = metricsOf(await listed(String(new URLSearchParams(filter))));
          assert.deepEqual(
            { clicks, otherClicks, installs, attributedInstalls, opens, events, revenue },
            pickCounts(items),
            JSON.stringify(filter),
          );
        }
      }
    });

    it('of the first links by any count are those of all links', async () => {
      for (const filter of [...FILTERS(codes), { country: 'NL' }, { utmSource: '' }].filter(
        (each) => !('shortCode' in each),
      ))
        for (const sort of SORTS) {
          const query = { ...days('Asia/Kathmandu'), timezone: 'Asia/Kathmandu', groupBy: 'link', sort };
          const all = await stats({ ...query, ...filter, limit: '100' });
          const first = await stats({ ...query, ...filter, limit: '2' });
          assert.deepEqual(first.groups, all.groups.slice(0, 2), JSON.stringify({ ...query, ...filter }));
        }
    });

    it('with credit=last, count events and revenue by the link of the latest open', async () => {
      const range = days('UTC');
      const items = await listed(String(new URLSearchParams(bounds('UTC', range))));
      const { groups } = await stats({
        ...range,
        groupBy: 'link',
        credit: 'last',
        limit: '100',
        sort: 'events',
      });
      for (const { key, events, revenue } of groups) {
        const credited = items.events.filter(({ lastShortCode }) => lastShortCode === key);
        assert.deepEqual(
          { events, revenue },
          pickEvents(metricsOf({ clicks: [], installs: [], opens: [], events: credited })),
        );
      }
    });

    it('of a link equal the lists', async () => {
      const range = days('UTC');
      for (const code of codes.slice(0, -1)) {
        const items = await listed(String(new URLSearchParams({ ...bounds('UTC', range), shortCode: code })));
        const query = new URLSearchParams(range);
        const { body } = await world.call('GET', `/v1/links/${code}/stats?${query}`, { key: app.keys.live });
        const { clicks, installs, opens, events } = metricsOf(items);
        const { otherClicks, ...totals } = body.totals;
        assert.deepEqual(totals, { clicks, installs, opens, events });
        assert.equal(
          Object.values<number>(otherClicks).reduce((sum, n) => sum + n, 0),
          metricsOf(items).otherClicks,
        );
      }
    });

    it('of include=totals equal the lists', async () => {
      const { status, body, text } = await world.call('GET', '/v1/links?include=totals', {
        key: app.keys.live,
      });
      assert.equal(status, 200, text);
      for (const { shortCode, sandbox, clicksTotal, installsTotal } of body) {
        const items = await listed(String(new URLSearchParams({ shortCode, sandbox: String(sandbox) })));
        const { clicks, installs } = metricsOf(items);
        assert.deepEqual([clicksTotal, installsTotal], [clicks, installs]);
      }
      const one = await world.call('GET', `/v1/links/${codes[0]}?include=totals`, { key: app.keys.live });
      assert.deepEqual(
        one.body,
        body.find(({ shortCode }: Item) => shortCode === codes[0]),
      );
    });

    it('stay after an erasure, whose records stay in the lists without the person', async () => {
      const installId = (await listed()).installs[0]?.id;
      await world.call('POST', '/v1/sdk/identify', {
        key: app.keys.live,
        body: { installId, userId: 'ada' },
      });
      const [beforeItems, beforeStats] = [await listed(), await stats(days('UTC'))];
      const { body } = await world.call('POST', '/v1/privacy/erase', {
        key: app.keys.live,
        body: { userId: 'ada' },
      });
      for (const id of body.requestIds)
        await waitFor('the erasure', async () => {
          const answer = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
          return answer.body.status === 'completed' ? true : undefined;
        });
      assert.deepEqual(await stats(days('UTC')), beforeStats);
      const items = await listed();
      assert.deepEqual(metricsOf(items), metricsOf(beforeItems));
      const erased = items.installs.find(({ id }) => id === installId);
      assert.deepEqual([erased.userId, erased.erasedAt === null], [null, false]);
      assert.ok(items.events.every((event) => event.userId !== 'ada'));
    });

    it('stay when retention removes their records', async () => {
      const range = days('UTC');
      const queries = [
        range,
        { ...range, groupBy: 'link' },
        { ...range, platform: 'IOS', groupBy: 'country' },
      ];
      const before = await Promise.all(queries.map(stats));
      advance((RETENTION_DAYS + 1) * DAY_MS);
      await waitFor('retention', async () => {
        await dropOld(world.service);
        const { db } = world.service;
        const clicks = await db.selectFrom('clicks').select('id').where('app_id', '=', app.id).execute();
        return clicks.length === 0 || undefined;
      });
      assert.deepEqual((await listed(String(new URLSearchParams(bounds('UTC', range))))).clicks, []);
      assert.deepEqual(await Promise.all(queries.map(stats)), before);
    });

    it('less deleted installs equal the lists again', async () => {
      const other = await world.newApp(STORES);
      const link = await world.newLink(other, { campaignId: 'spring' });
      const installs: string[] = [];
      for (let n = 0; n < 3; n++) {
        const clickId = await world.clickId(link.shortCode, { from: freshAddress() });
        const body = { clickId, fingerprint: { platform: 'ANDROID' } };
        installs.push((await call('install', body, other.keys.live)).installId);
      }
      const revenue = { amount: '2.5', currency: 'EUR' };
      for (const installId of installs)
        await call('event', { installId, eventName: 'buy', revenue }, other.keys.live);
      const read = async (path: string) => (await world.call('GET', path, { key: other.keys.live })).body;
      await world.call('POST', '/v1/installs/deletions', {
        key: other.keys.live,
        body: { installIds: installs.slice(0, 2) },
      });
      const { totals } = await read('/v1/stats');
      assert.deepEqual(
        [totals.installs, totals.events, totals.payingInstalls, totals.firstPurchases],
        [1, 1, 1, 1],
      );
      assert.deepEqual(
        [totals.revenue, totals.cohortRevenue],
        [[{ currency: 'EUR', amount: '2.50' }], [{ currency: 'EUR', amount: '2.50' }]],
      );
      const [cohort] = (await read('/v1/stats/retention')).cohorts;
      assert.deepEqual([cohort.installs, cohort.active[0]], [1, 1]);
    });
  });

function pickCounts(metrics: ReturnType<typeof metricsOf>) {
  const { clicks, otherClicks, installs, attributedInstalls, opens, events, revenue } = metrics;
  return { clicks, otherClicks, installs, attributedInstalls, opens, events, revenue };
}

/** Clicks whose journal is applied long after they were recorded. */
async function openLateJournal({ service }: World): Promise<{ clickLog: ClickLog; apply(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-late-'));
  const { promise, resolve } = Promise.withResolvers<void>();
  const store: Store = {
    ...service.store,
    insertRowTexts: async (...rows) => {
      await promise;
      return await service.store.insertRowTexts(...rows);
    },
  };
  const own = { ...service, store, metrics: new Registry(), config: { ...service.config, dataDir } };
  const clickLog = await openClickLog(own, JOURNAL_LIMITS);
  return {
    clickLog,
    async apply() {
      resolve();
      await clickLog.applied();
      await clickLog.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

function between(items: Items, from: string, to: string): Items {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const filtered = (list: Item[], time: string) =>
    list.filter((item) => Date.parse(item[time]) >= fromMs && Date.parse(item[time]) < toMs);
  return {
    clicks: filtered(items.clicks, 'clickedAt'),
    installs: filtered(items.installs, 'installedAt'),
    opens: filtered(items.opens, 'openedAt'),
    events: filtered(items.events, 'createdAt'),
  };
}

/** The lists have records alone. */
const OF_COSTS = new Set(['cost', 'costPerInstall', 'returnOnAdSpend']);

function metricsOf({ clicks, installs: all, opens, events }: Items) {
  const installs = all.filter(({ existingUser }) => !existingUser);
  return {
    clicks: clicks.filter(({ visitor }) => visitor === 'human').length,
    otherClicks: clicks.filter(({ visitor }) => visitor !== 'human').length,
    installs: installs.length,
    attributedInstalls: installs.filter(({ method }) => method !== 'ORGANIC').length,
    organicInstalls: installs.filter(({ method }) => method === 'ORGANIC').length,
    networkInstalls: installs.filter(({ claim }) => claim !== null).length,
    existingUsers: all.length - installs.length,
    opens: opens.length,
    directOpens: opens.filter(({ method }) => method === 'DIRECT').length,
    events: events.length,
    revenue: sumOf(events),
    payingInstalls: installs.filter(({ revenues }) =>
      revenues.some(({ revenue }: Item) => !revenue.amount.startsWith('-')),
    ).length,
    cohortRevenue: sumOf(installs.flatMap(({ revenues }) => revenues)),
    firstPurchases: events.filter(({ isFirstPurchase }) => isFirstPurchase).length,
  };
}

function sumOf(events: readonly Item[]) {
  const sums = new Map<string, bigint>();
  for (const { revenue } of events)
    if (revenue !== null)
      sums.set(revenue.currency, (sums.get(revenue.currency) ?? 0n) + toTenThousandths(revenue.amount));
  return [...sums]
    .filter(([, sum]) => sum !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, sum]) => ({ currency, amount: toDecimal(sum) }));
}

function pickEvents({ events, revenue }: ReturnType<typeof metricsOf>) {
  return { events, revenue };
}

const NO_ITEMS: Items = { clicks: [], installs: [], opens: [], events: [] };

type KeyOf = (item: Item, kind: keyof Items) => string | null;

/** Of campaigns of networks, with the network. */
function keyOfGroup({ key, network }: Item): string | null {
  return network === undefined || key === null ? key : `${network} ${key}`;
}

function filterOf(dimension: string, value: string | null): Record<string, string> {
  if (dimension !== 'networkCampaign' || value === null) return { [dimension]: value ?? '' };
  const [network = '', networkCampaign = ''] = value.split(' ');
  return { network, networkCampaign };
}

/** The key of an item in each dimension; events take theirs from their install. */
function keysBy({ installs, clicks }: Pick<Items, 'installs' | 'clicks'>): Record<string, KeyOf> {
  const methods = new Map(installs.map(({ id, method }) => [id, method]));
  const all = new Map(clicks.map((click) => [click.id, click]));
  const clickOf = (item: Item, kind: keyof Items): Item => {
    if (kind === 'clicks') return item;
    return all.get(kind === 'events' ? clickIds.get(item.installId) : item.clickId);
  };
  const byId = new Map(installs.map((install) => [install.id, install]));
  const deviceOf = (item: Item, kind: keyof Items): Item =>
    kind === 'clicks' ? {} : kind === 'events' ? byId.get(item.installId) : item;
  const claimOf = (item: Item, kind: keyof Items): Item =>
    kind === 'installs' ? item.claim : kind === 'events' ? (byId.get(item.installId)?.claim ?? null) : null;
  const clickIds = new Map(installs.map(({ id, clickId }) => [id, clickId]));
  return {
    method: (item, kind) =>
      kind === 'clicks' ? null : kind === 'events' ? methods.get(item.installId) : item.method,
    country: ({ country }) => country,
    referrer: (item, kind) => clickOf(item, kind)?.referrer ?? null,
    utmSource: (item, kind) => clickOf(item, kind)?.utm.source ?? null,
    utmMedium: (item, kind) => clickOf(item, kind)?.utm.medium ?? null,
    utmCampaign: (item, kind) => clickOf(item, kind)?.utm.campaign ?? null,
    link: (item) => item.shortCode,
    campaign: (item) => item.campaignId,
    platform: (item) => item.platform,
    visitor: (item, kind) => (kind === 'clicks' ? item.visitor : null),
    platformVersion: (item, kind) => {
      const { platform, osVersion } = deviceOf(item, kind);
      const [major] = /^\d+/.exec(osVersion ?? '') ?? [];
      return major === undefined ? null : `${platform} ${major}`;
    },
    appVersion: (item, kind) => deviceOf(item, kind).appVersion || null,
    eventName: (item, kind) => (kind === 'events' ? item.eventName : null),
    network: (item, kind) => claimOf(item, kind)?.name ?? null,
    networkCampaign: (item, kind) => {
      const { name, campaignId = null } = claimOf(item, kind) ?? {};
      return campaignId === null ? null : `${name} ${campaignId}`;
    },
  };
}

function groupItems(items: Items, keyOf: KeyOf): Map<string | null, Items> {
  const groups = new Map<string | null, Items>();
  for (const kind of ['clicks', 'installs', 'opens', 'events'] as const)
    for (const item of items[kind]) {
      const key = keyOf(item, kind);
      const group = groups.get(key) ?? { clicks: [], installs: [], opens: [], events: [] };
      groups.set(key, group);
      group[kind].push(item);
    }
  return groups;
}
