/** Statistics: which parts of an answer are read, and groups by several dimensions. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, type TestApp, useWorld } from '../../helpers/world.ts';

const withoutPrevious = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part), (key, value) => (key === 'previous' ? undefined : value));
const SIX = 'link,campaign,platform,method,country,referrer';

for (const engine of engines)
  describe(`statistics on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    const read = async (query: string, headers: Record<string, string> = {}) =>
      await world.call('GET', `/v1/stats?${query}`, { key: app.keys.live, headers });

    before(async () => {
      app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      for (const campaignId of ['spring', 'autumn', null]) {
        const { shortCode } = await world.newLink(app, { campaignId });
        for (const userAgent of [IPHONE, PIXEL, DESKTOP]) {
          const headers = { referer: 'https://news.example/' };
          await world.tap(shortCode, { userAgent, from: freshAddress(), headers });
        }
      }
      await world.clickId((await world.newLink(app)).shortCode, { from: freshAddress() });
    });

    it('without include have totals, previous, series, groups and other', async () => {
      const { body } = await read('');
      assert.deepEqual(Object.keys(body), [
        ...['from', 'to', 'timezone', 'interval', 'totals', 'previous', 'series', 'groups', 'other'],
      ]);
      assert.deepEqual([body.groups, body.other], [[], body.totals]);
    });

    it('with include have the parts that it names alone, with the same values', async () => {
      const { body: whole } = await read('groupBy=campaign');
      for (const [include, parts] of [
        ['totals', ['totals']],
        ['series', ['series']],
        ['previous', ['previous']],
        ['groups', ['groups', 'other']],
        ['groups,totals', ['totals', 'groups', 'other']],
        ['totals,series,previous,groups', ['totals', 'previous', 'series', 'groups', 'other']],
      ] as const) {
        const { status, body } = await read(`groupBy=campaign&include=${include}`);
        assert.equal(status, 200);
        const expected = ['from', 'to', 'timezone', 'interval', ...parts].map((part) => [
          ...[part, parts.some((each) => each === 'previous') ? whole[part] : withoutPrevious(whole[part])],
        ]);
        assert.deepEqual(body, Object.fromEntries(expected), include);
      }
    });

    it('in groups and other have the period before, if include has previous', async () => {
      const { groupings } = (await read('groupBy=campaign,link&include=groups,previous')).body;
      const { totals, groups, other } = (await read('groupBy=campaign&include=groups,totals')).body;
      const none = { ...totals, clicks: 0, otherClicks: 0 };
      // Links have no costs.
      const { cost: _, costPerInstall: _each, returnOnAdSpend: _return, ...noneOfLink } = none;
      for (const { groupBy, groups, other } of groupings)
        for (const group of [...groups, other])
          assert.deepEqual(group.previous, groupBy === 'link' ? noneOfLink : none);
      assert.ok([...groups, other].every((group) => !('previous' in group)));
      const day = (offset: number) =>
        new Date(world.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);
      const period = `from=${day(1)}&to=${day(30)}`;
      world.clock.advance(31 * DAY_MS);
      const later = (await read(`${period}&groupBy=link&include=groups,previous`)).body;
      world.clock.advance(-31 * DAY_MS);
      assert.deepEqual(later.groups, []);
      const { cost: _cost, costPerInstall: _ofInstall, returnOnAdSpend: _ofCost, ...totalsOfLink } = totals;
      assert.deepEqual(later.other.previous, totalsOfLink);
    });

    it('of today have no interval of the future, and as much of yesterday before them', async () => {
      const nowMs = world.clock.nowMs();
      const [today, yesterday] = [0, DAY_MS].map((ms) => new Date(nowMs - ms).toISOString().slice(0, 10));
      const query = `from=${today}&to=${today}&interval=hour`;
      const { series, previous, previousSeries } = (
        await read(`${query}&include=series,previous,previousSeries`)
      ).body;
      const isLast = (_: unknown, index: number) => index === series.length - 1;
      assert.equal(series.length, new Date(nowMs).getUTCHours() + 1);
      assert.deepEqual(
        series.map(({ partial = false }) => partial),
        series.map(isLast),
      );
      assert.equal(previous.from, `${yesterday}T00:00:00+00:00`);
      assert.ok(Math.abs(Date.parse(previous.to) - (nowMs - DAY_MS)) <= 7.5 * MINUTE_MS);
      for (const { at } of previousSeries) assert.ok(Date.parse(at) < Date.parse(previous.to));
      const csv = await read(query, { accept: 'text/csv' });
      const lines = csv.text.trim().split(/\r?\n/);
      assert.deepEqual(
        lines.slice(1).map((line) => line.split(',')[1]),
        series.map(isLast).map(String),
      );
    });

    it('with include=previousSeries have the series of a request for the period before', async () => {
      const { from, previousSeries, series } = (
        await read('include=previousSeries,series&timezone=Europe/Berlin&interval=week')
      ).body;
      const day = (add: number) => new Date(Date.parse(from) + add * 86_400_000).toISOString().slice(0, 10);
      const period = `from=${day(-30)}&to=${day(-1)}`;
      const before = await read(`include=series&timezone=Europe/Berlin&interval=week&${period}`);
      // The last interval ends with the present one.
      const whole = previousSeries.slice(0, -1);
      assert.ok(whole.length > 2);
      assert.deepEqual(whole, before.body.series.slice(0, whole.length));
      assert.notDeepEqual(previousSeries, series);
    });

    it('by several dimensions have the groups of each, as in a request for it alone', async () => {
      const { status, body } = await read(`groupBy=${SIX}&limit=2&sort=clicks`);
      assert.equal(status, 200);
      assert.deepEqual(
        body.groupings.map(({ groupBy }: { groupBy: string }) => groupBy),
        SIX.split(','),
      );
      for (const { groupBy, groups, other } of body.groupings) {
        const alone = (await read(`groupBy=${groupBy}&limit=2&sort=clicks`)).body;
        assert.deepEqual([groups, other], [alone.groups, alone.other], groupBy);
        assert.equal(alone.groupings, undefined);
      }
      assert.deepEqual([body.groups, body.other], [body.groupings[0].groups, body.groupings[0].other]);
    });

    it('as CSV have the groups of one dimension, on request with the period before, or the series', async () => {
      const csv = { accept: 'text/csv' };
      const [groups, series] = [await read('groupBy=platform', csv), await read('', csv)];
      assert.match(groups.text, /^key,label,clicks,.*\r?\nANDROID,Android,/);
      assert.match(series.text, /^at,partial,clicks,/);
      const both = await read('groupBy=platform&include=previous', csv);
      assert.match(both.text, /^key,label,clicks,[^\n]*,previous_clicks,/);
      assert.equal((await read('groupBy=platform&include=totals', csv)).text, groups.text);
      assert.equal((await read('include=totals', csv)).text, series.text);
      assertError(
        await read('groupBy=platform,link', csv),
        400,
        'request.invalid',
        /^CSV has the groups of one/,
      );
    });

    for (const [query, text] of [
      ['groupBy=city', /^groupBy must be one to 6 of link, campaign, .*, separated by commas\./],
      ['groupBy=link,city', /^groupBy must be one to 6 of/],
      ['groupBy=', /^groupBy must be one to 6 of/],
      ['groupBy=link,', /^groupBy must be one to 6 of/],
      [`groupBy=${SIX},visitor`, /^groupBy must be one to 6 of/],
      ['groupBy=link,country,link', /^groupBy has link twice\. Give each value once\./],
      ['groupBy=link&groupBy=country', /^groupBy must be given once\./],
      ['include=sums', /^include must be one to 5 of totals, series, previous, groups, previousSeries,/],
      ['include=', /^include must be one to 5 of/],
      ['include=totals,totals', /^include has totals twice\./],
      ['from=2026-02-30', /^from must be a day from 1970 on, such as 2026-01-31\./],
      ['timezone=Mars/Olympus', /^timezone must be a name of the IANA time zone database/],
      ['country=DE&referrer=a', /^Statistics are not counted by country and referrer together\. Give one of/],
      ['country=DE&groupBy=campaign,utmSource', /^Statistics are not counted by utmSource and country/],
      ['campaignId=&country=DE', /^Statistics are not counted by country and an empty campaignId together/],
      ['shortCode=&campaignId=', /^Statistics are not counted by an empty shortCode and an empty campaignId/],
      ['shortCode=&groupBy=country', /an empty shortCode together\. With .*, groupBy takes link, campaign,/],
      ['country=de', /^country must be two letters/],
      ['method=GUESS', /^method must be/],
      ['platformVersion=iOS+18', /^platformVersion must be a platform and its major version/],
      ['interval=hour&from=2026-01-01&to=2026-01-15', /^interval=hour is for at most 14 days\./],
    ] as const)
      it(`get 400 for ${query}`, async () => {
        assertError(await read(query), 400, 'request.invalid', text);
      });
  });
