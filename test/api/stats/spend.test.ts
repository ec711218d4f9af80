/** Costs in `GET /v1/stats`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

for (const engine of engines)
  describe(`costs in statistics on ${engine}`, () => {
    const world = useWorld(engine);
    const today = () => dayOf(world.clock.nowMs());
    const daysAgo = (days: number) => dayOf(world.clock.nowMs() - days * DAY_MS);
    const cost = (campaignId: string, amount: string, date = today(), currency = 'EUR') => ({
      ...{ date, campaignId },
      cost: { amount, currency },
    });
    const store = async (app: TestApp, costs: readonly object[], key = app.keys.live) => {
      const { body } = await world.call('POST', '/v1/costs', { key, body: { costs } });
      assert.equal(body.created, costs.length, JSON.stringify(body));
    };
    const read = async (app: TestApp, query = '', key = app.keys.live) => {
      const { status, body, text } = await world.call('GET', `/v1/stats?${query}`, { key });
      assert.equal(status, 200, text);
      return body;
    };
    const costOf = (metrics: { cost?: readonly { currency: string; amount: string }[] }) =>
      metrics.cost?.map(({ currency, amount }) => `${amount} ${currency}`);
    /** An install of a campaign, by a click of its link. */
    const install = async (app: TestApp, campaignId: string | null, revenue?: string) => {
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, {
        ...(campaignId !== null && { campaignId }),
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
      });
      const clickId = await world.clickId(shortCode, { from });
      const answer = await world.install(app, { clickId, fingerprint: { platform: 'ANDROID' } });
      assert.equal(answer.body.method, 'CLICK_ID', answer.text);
      await buy(app, answer, revenue);
    };
    // biome-ignore lint/suspicious/noExplicitAny: an answer.
    const buy = async (app: TestApp, answer: { body: any }, revenue: string | undefined) => {
      if (revenue === undefined) return;
      const { installId } = answer.body;
      const body = { installId, eventName: 'buy', revenue: { amount: revenue, currency: 'EUR' } };
      const { status, text } = await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body });
      assert.equal(status, 201, text);
    };

    it('totals and campaigns have cost, the cost of an install and the return; other is the rest', async () => {
      const app = await world.newApp();
      await install(app, 'spring', '30');
      await install(app, 'spring');
      await install(app, 'free');
      const ofNetwork = { date: today(), network: 'apple_ads', networkCampaignId: 'spring' };
      await store(app, [
        ...[
          cost('spring', '10'),
          cost('spring', '5.5', daysAgo(1)),
          cost('unseen', '4'),
          cost('spring', '3', today(), 'USD'),
        ],
        { ...ofNetwork, cost: { amount: '2', currency: 'EUR' } },
      ]);
      const { totals, groups, other } = await read(app, 'groupBy=campaign&sort=cost');
      assert.deepEqual(costOf(totals), ['21.50 EUR', '3.00 USD']);
      assert.deepEqual(totals.costPerInstall, [
        { currency: 'EUR', amount: '7.1667' },
        { currency: 'USD', amount: '1.00' },
      ]);
      // biome-ignore lint/suspicious/noExplicitAny: an answer.
      const rows = groups.map((each: any) => [
        each.key,
        costOf(each),
        each.costPerInstall,
        each.returnOnAdSpend,
      ]);
      const eur = (amount: string) => ({ currency: 'EUR', amount });
      const usd = (amount: string) => ({ currency: 'USD', amount });
      assert.deepEqual(rows, [
        [
          'spring',
          ['15.50 EUR', '3.00 USD'],
          [eur('7.75'), usd('1.50')],
          [
            { currency: 'EUR', ratio: 1.9355 },
            { currency: 'USD', ratio: 0 },
          ],
        ],
        ['unseen', ['4.00 EUR'], [], [{ currency: 'EUR', ratio: 0 }]],
        ['free', [], [], []],
      ]);
      assert.deepEqual(costOf(other), ['2.00 EUR']);
      const one = await read(app, 'groupBy=campaign&sort=cost&limit=1');
      assert.deepEqual(costOf(one.other), ['6.00 EUR']);
      assert.deepEqual(costOf((await read(app, 'campaignId=spring')).totals), ['15.50 EUR', '3.00 USD']);
    });

    it('have a return of attributed installs alone, in totals, series, groups and what is left', async () => {
      const app = await world.newApp();
      await install(app, 'spring', '30');
      await install(app, null, '5');
      const organic = await world.install(
        app,
        { fingerprint: { platform: 'ANDROID' } },
        { from: freshAddress() },
      );
      assert.equal(organic.body.method, 'ORGANIC', organic.text);
      await buy(app, organic, '1000');
      const ofNetwork = { date: today(), network: 'apple_ads', networkCampaignId: 'x' };
      await store(app, [cost('spring', '10'), { ...ofNetwork, cost: { amount: '10', currency: 'EUR' } }]);
      const returnOf = (part: { returnOnAdSpend?: readonly { ratio: number }[] }) =>
        part.returnOnAdSpend?.map(({ ratio }) => ratio);
      const all = 'include=totals,series,groups&groupBy=campaign&sort=cost';
      for (const query of [all, all.replace('series,', '')]) {
        const { totals, groups, other, series } = await read(app, `${query}&limit=1`);
        assert.deepEqual([totals, groups[0], other].map(returnOf), [[1.75], [3], [0.5]], query);
        if (series !== undefined) assert.deepEqual(returnOf(series.at(-1)), [1.75]);
        const whole = await read(app, query);
        assert.deepEqual([returnOf(whole.groups[1]), returnOf(whole.other)], [[], [0]]);
      }
      assert.deepEqual(returnOf((await read(app, 'campaignId=spring')).totals), [3]);
    });

    it('are absent where a filter, a dimension or the hour is none that costs have', async () => {
      const app = await world.newApp();
      await install(app, 'spring');
      await store(app, [cost('spring', '10')]);
      const { shortCode } = await world.newLink(app);
      for (const query of ['platform=ANDROID', `shortCode=${shortCode}`]) {
        const { totals, previous, series, other } = await read(app, query);
        for (const part of [totals, previous, series[0], other])
          for (const name of ['cost', 'costPerInstall', 'returnOnAdSpend'])
            assert.ok(!(name in part), `${query}: ${name}`);
      }
      const byHour = await read(app, `interval=hour&from=${today()}&to=${today()}`);
      assert.deepEqual(costOf(byHour.totals), ['10.00 EUR']);
      assert.ok(byHour.series.every((each: object) => !('cost' in each)));
      const { totals, groupings } = await read(app, 'groupBy=platform,link,campaign&sort=costPerInstall');
      assert.deepEqual(costOf(totals), ['10.00 EUR']);
      const [platforms, links, campaigns] = groupings;
      for (const { groups, other } of [platforms, links])
        for (const part of [...groups, other]) assert.ok(!('cost' in part));
      assert.deepEqual(costOf(campaigns.groups[0]), ['10.00 EUR']);
      assert.deepEqual(costOf(campaigns.other), []);
    });

    it('count for their day whatever the time zone, in series of days and weeks too', async () => {
      const app = await world.newApp();
      await store(app, [
        cost('a', '1', '2026-01-31'),
        cost('a', '2', '2026-02-01'),
        cost('b', '4', '2026-02-28'),
      ]);
      for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Sao_Paulo', 'UTC']) {
        const query = `from=2026-01-31&to=2026-02-28&timezone=${timezone}&include=totals,series`;
        const { totals, series } = await read(app, query);
        assert.deepEqual(costOf(totals), ['7.00 EUR'], timezone);
        assert.deepEqual(
          [costOf(series[0]), costOf(series[1]), costOf(series[2])],
          [['1.00 EUR'], ['2.00 EUR'], []],
        );
        const weeks = (await read(app, `${query}&interval=week`)).series;
        assert.deepEqual([costOf(weeks[0]), costOf(weeks.at(-1))], [['3.00 EUR'], ['4.00 EUR']], timezone);
      }
      const { previous } = await read(app, 'from=2026-02-01&to=2026-02-01');
      assert.deepEqual(costOf(previous), ['1.00 EUR']);
    });

    it('of groups have those of the period before, of whole days, and no cost counts before its day', async () => {
      const app = await world.newApp();
      const noon = Date.parse(`${daysAgo(-1)}T12:00:00Z`);
      world.clock.advance(noon - world.clock.nowMs());
      await store(app, [
        ...[cost('a', '1'), cost('a', '2', daysAgo(1)), cost('a', '4', daysAgo(-1))],
        ...[cost('a', '8', daysAgo(2)), cost('b', '16', daysAgo(3)), cost('a', '32', daysAgo(4))],
      ]);
      const query = `from=${daysAgo(1)}&to=${daysAgo(-1)}&groupBy=campaign&sort=cost`;
      const answer = await read(app, `${query}&include=totals,previous,series,previousSeries,groups`);
      assert.deepEqual(costOf(answer.totals), ['3.00 EUR']);
      assert.deepEqual(answer.series.map(costOf), [['2.00 EUR'], ['1.00 EUR']]);
      // Of the three days before, the second ends at noon.
      assert.deepEqual(costOf(answer.previous), ['32.00 EUR']);
      assert.deepEqual(answer.previousSeries.map(costOf), [['32.00 EUR'], undefined]);
      const [a, ...others] = answer.groups;
      assert.deepEqual(
        [a.key, costOf(a), costOf(a.previous), others],
        ['a', ['3.00 EUR'], ['32.00 EUR'], []],
      );
      const { body } = await world.call('GET', `/v1/stats?from=${today()}&to=${today()}`, {
        key: app.keys.live,
      });
      assert.deepEqual([costOf(body.totals), costOf(body.previous)], [['1.00 EUR'], undefined]);
    });

    it('of the sandbox count for it alone', async () => {
      const app = await world.newApp();
      await store(app, [cost('a', '1')]);
      await store(app, [cost('a', '2')], app.keys.test);
      assert.deepEqual(costOf((await read(app)).totals), ['1.00 EUR']);
      assert.deepEqual(costOf((await read(app, 'sandbox=true')).totals), ['2.00 EUR']);
      assert.deepEqual(costOf((await read(app, '', app.keys.test)).totals), ['2.00 EUR']);
    });

    it('are columns of CSV by currency, empty where they are not known', async () => {
      const app = await world.newApp();
      await store(app, [cost('a', '1.5'), cost('b', '2', today(), 'USD')]);
      const csv = async (query: string) => {
        const headers = { accept: 'text/csv' };
        const { text } = await world.call('GET', `/v1/stats?${query}`, { key: app.keys.live, headers });
        const [head = '', ...rows] = text
          .trimEnd()
          .split('\n')
          .map((line) => line.split(','));
        return rows.map((row) => Object.fromEntries(row.map((cell, index) => [head[index], cell])));
      };
      const [a, b] = await csv('groupBy=campaign');
      assert.deepEqual(
        [a?.cost_EUR, a?.cost_USD, a?.costPerInstall_EUR, a?.returnOnAdSpend_EUR],
        ['1.50', '0.00', undefined, '0'],
      );
      assert.deepEqual([b?.cost_EUR, b?.cost_USD, b?.returnOnAdSpend_EUR], ['0.00', '2.00', '']);
      assert.ok((await csv('groupBy=platform')).every((row) => !('cost_EUR' in row)));
    });

    it('are exact, however large', async () => {
      const app = await world.newApp();
      const max = '999999999999.9999';
      await store(
        app,
        Array.from({ length: 1_000 }, (_, index) => cost(`c${index}`, max)),
      );
      assert.deepEqual(costOf((await read(app, 'include=totals')).totals), ['999999999999999.90 EUR']);
    });
  });
