/** Installs that ad networks claim, with what they have counted before and since. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, dayOf, isoTime } from '../../../src/lib/clock.ts';
import { awaitClaim, storeClaim } from '../../helpers/claims.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer, whose fields the test reads.
type Answer = any;
const euros = (amount: string) => ({ amount, currency: 'EUR' });
const APPLE = { name: 'apple_ads', campaignId: '111' } as const;

for (const engine of engines)
  describe(`networks in statistics on ${engine}`, () => {
    const world = useWorld(engine);
    const post = async (app: TestApp, path: string, body: object, key = app.keys.live) => {
      const answer = await world.call('POST', `/v1/${path}`, { key, body, from: freshAddress() });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    /** With a token, whose answer is awaited. */
    const newInstall = async (app: TestApp, fields: object = {}): Promise<string> => {
      const body = { fingerprint: { platform: 'IOS' }, ...fields };
      const { installId } = await post(app, 'sdk/install', body);
      await awaitClaim(world.service.db, app.id, installId);
      return installId;
    };
    const claim = (
      app: TestApp,
      installId: string,
      said: Parameters<typeof storeClaim>[1] | object = APPLE,
    ) => storeClaim(world.service.db, { appId: app.id, installId, ...APPLE, ...said });
    const buy = (app: TestApp, installId: string, amount: string) =>
      post(app, 'sdk/event', { installId, eventName: 'purchase', revenue: euros(amount) });
    const read = async (app: TestApp, query = ''): Promise<Answer> => {
      const { status, body, text } = await world.call('GET', `/v1/stats?${query}`, { key: app.keys.live });
      assert.equal(status, 200, text);
      return body;
    };
    const cost = (of: object, amount: string) => ({
      ...{ date: dayOf(isoTime(world.clock.nowMs())), ...of },
      cost: euros(amount),
    });
    const rowOf = ({ key, network, installs, networkInstalls, events, revenue, cohortRevenue }: Answer) => [
      ...[network ?? '', key, installs, networkInstalls, events],
      ...[revenue[0]?.amount ?? '', cohortRevenue[0]?.amount ?? ''],
    ];

    it('an answer that comes late moves what the install has counted, on its own days', async () => {
      const app = await world.newApp();
      const [claimed] = [await newInstall(app), await newInstall(app)];
      await buy(app, claimed, '5');
      world.clock.advance(20 * 3_600_000);
      await buy(app, claimed, '2.5');
      const before = await read(app, 'groupBy=network');
      assert.deepEqual(before.groups.map(rowOf), [['', null, 2, 0, 2, '7.50', '7.50']]);
      await claim(app, claimed);
      await buy(app, claimed, '1');
      const after = await read(app, 'groupBy=network,networkCampaign,method&sort=revenue');
      const claimedRow = [1, 1, 3, '8.50', '8.50'];
      assert.deepEqual(after.groups.map(rowOf), [
        ['', 'apple_ads', ...claimedRow],
        ['', null, 1, 0, 0, '', ''],
      ]);
      assert.deepEqual(after.groupings[1].groups.map(rowOf), [
        ['apple_ads', '111', ...claimedRow],
        ['', null, 1, 0, 0, '', ''],
      ]);
      // A claim changes no method.
      assert.deepEqual(after.groupings[2].groups.map(rowOf), [['', 'ORGANIC', 2, 1, 3, '8.50', '8.50']]);
      const day = (ms: number) => dayOf(isoTime(ms));
      const series: Answer[] = (await read(app, 'network=apple_ads')).series;
      const installed = series.find(({ at }) => at.startsWith(day(world.clock.nowMs() - 20 * 3_600_000)));
      assert.deepEqual([installed.networkInstalls, installed.cohortRevenue], [1, [euros('8.50')]]);
    });

    it('an answer and events at the same moment leave no event without the network', async () => {
      const app = await world.newApp();
      const installIds = await Promise.all(Array.from({ length: 4 }, () => newInstall(app)));
      const batch = () => ({
        events: installIds.map((installId) => ({ installId, eventName: 'buy', revenue: euros('1') })),
      });
      await Promise.all([
        ...Array.from({ length: 12 }, () => post(app, 'sdk/events', batch())),
        ...installIds.flatMap((installId) => [buy(app, installId, '1'), claim(app, installId)]),
        ...Array.from({ length: 12 }, () => post(app, 'sdk/events', batch())),
        ...installIds.map((installId) => buy(app, installId, '1')),
      ]);
      const { groups } = await read(app, 'groupBy=network');
      const n = 26 * 4;
      assert.deepEqual(groups.map(rowOf), [['', 'apple_ads', 4, 4, n, `${n}.00`, `${n}.00`]]);
      const { payingInstalls, firstPurchases } = groups[0];
      assert.deepEqual([payingInstalls, firstPurchases], [4, 4]);
    });

    it('test records count in the sandbox alone, and existing users are no installs', async () => {
      const app = await world.newApp();
      const [live, sandbox] = [await newInstall(app), await newInstall(app, { debugBuild: true })];
      const existing = await newInstall(app, { existingUser: true });
      for (const installId of [live, sandbox]) await claim(app, installId, { test: true });
      await claim(app, existing);
      const networks = async (query = '') => (await read(app, `groupBy=network${query}`)).groups;
      const [apple, none] = await networks();
      assert.deepEqual(
        [apple.key, apple.networkInstalls, apple.existingUsers, none.key, none.installs],
        ['apple_ads', 0, 1, null, 1],
      );
      assert.deepEqual((await networks('&sandbox=true')).map(rowOf), [['', 'apple_ads', 1, 1, 0, '', '']]);
    });

    it('of one ID are campaigns of their networks, and the latest name of each is shown', async () => {
      const app = await world.newApp();
      const meta = { name: 'meta', campaignId: '111' };
      await claim(app, await newInstall(app));
      await claim(app, await newInstall(app), { ...meta, campaignName: 'Spring' });
      await read(app);
      await claim(app, await newInstall(app), { ...meta, campaignName: 'Spring, 2' });
      await claim(app, await newInstall(app), { name: 'google_ads', campaignId: null });
      const { groups } = await read(app, 'groupBy=networkCampaign&sort=installs');
      const shown = (all: Answer[]) =>
        all.map(({ network, key, label, installs }) => [network, key, label, installs]);
      assert.deepEqual(shown(groups), [
        ['meta', '111', 'Spring, 2', 2],
        ['apple_ads', '111', '111', 1],
        [undefined, null, '(none)', 1],
      ]);
      const both = await read(
        app,
        'networkCampaign=111&groupBy=networkCampaign,network,platform&sort=installs',
      );
      assert.equal(both.totals.installs, 3);
      assert.deepEqual(shown(both.groups), shown(groups).slice(0, 2));
      assert.deepEqual(
        both.groupings[1].groups.map(({ key }: Answer) => key),
        ['meta', 'apple_ads'],
      );
      const one = await read(app, 'network=meta&networkCampaign=111&groupBy=networkCampaign');
      assert.deepEqual([one.totals.installs, shown(one.groups)], [2, shown(groups).slice(0, 1)]);
      const ofMeta = await read(app, 'network=meta&groupBy=networkCampaign');
      assert.deepEqual(shown(ofMeta.groups), shown(groups).slice(0, 1));
      const ofCosts = ['meta', 'apple_ads'].map((network) =>
        cost({ network, networkCampaignId: '111' }, '1'),
      );
      const preview = await world.call('POST', '/v1/costs?dryRun=true', {
        ...{ key: app.keys.live, body: { costs: [...ofCosts, cost({ campaignId: '111' }, '1')] } },
      });
      await post(app, 'costs', { costs: [...ofCosts, cost({ campaignId: '111' }, '1')] });
      const costs = await world.call('GET', '/v1/costs', { key: app.keys.live });
      for (const listed of [preview.body.costs, costs.body.toReversed()])
        assert.deepEqual(
          listed.map((each: Answer) => [each.network, each.networkCampaignName]),
          [
            ['meta', 'Spring, 2'],
            ['apple_ads', null],
            [null, null],
          ],
        );
      for (const [query, installs] of [
        ['network=google_ads', 1],
        ['network=', 0],
        ['networkCampaign=', 1],
        ['network=meta&networkCampaign=222', 0],
        ['network=tiktok', 0],
        ['network=google_ads&networkCampaign=', 1],
        ['network=meta&networkCampaign=', 0],
        ['network=tiktok&networkCampaign=', 0],
        ['network=&networkCampaign=', 0],
        ['network=&networkCampaign=111', 0],
      ] as const)
        assert.equal((await read(app, query)).totals.installs, installs, query);
      const csv = await world.call('GET', '/v1/stats?groupBy=networkCampaign&sort=installs', {
        ...{ key: app.keys.live, headers: { accept: 'text/csv' } },
      });
      const [head = '', first = ''] = csv.text.split('\n');
      assert.ok(head.startsWith('key,label,network,clicks'), head);
      assert.ok(first.startsWith('111,"Spring, 2",meta,0'), first);
    });

    it('an empty campaign leaves the records of a network that have none, by whatever they are grouped', async () => {
      const app = await world.newApp();
      const androidDestination = 'https://play.google.com/store/apps/details?id=com.example';
      const { shortCode } = await world.newLink(app, { campaignId: 'spring', androidDestination });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      const linked = await newInstall(app, { clickId, fingerprint: { platform: 'ANDROID' } });
      const installIds = [linked, await newInstall(app), await newInstall(app), await newInstall(app)];
      for (const [index, campaignId] of [null, null, '111', null].entries()) {
        const name = index === 3 ? 'metaverse' : 'meta';
        await claim(app, installIds[index] ?? '', { name, campaignId });
        await buy(app, installIds[index] ?? '', '1');
      }
      const by = 'groupBy=network,networkCampaign,platform,campaign,link';
      for (const query of [`${by}&include=totals,series,groups`, `${by}&include=totals,groups&limit=5`]) {
        const answer = await read(app, `network=meta&networkCampaign=&${query}`);
        assert.deepEqual([answer.totals.installs, answer.totals.events], [2, 2]);
        assert.deepEqual(
          answer.groupings.map(({ groups }: Answer) =>
            groups.map((each: Answer) => [each.key, each.installs]),
          ),
          [
            [['meta', 2]],
            [[null, 2]],
            [
              ['ANDROID', 1],
              ['IOS', 1],
            ],
            [
              ['spring', 1],
              [null, 1],
            ],
            [[shortCode, 1]],
          ],
        );
      }
      const of = async (scope: string) =>
        (await read(app, `network=meta&networkCampaign=&${scope}`)).totals.installs;
      assert.deepEqual([await of(`shortCode=${shortCode}`), await of('campaignId=spring')], [1, 1]);
      assert.deepEqual([await of('campaignId=other'), await of('platform=IOS')], [0, 1]);
    });

    it('are filtered with nothing that is not counted together', async () => {
      const app = await world.newApp();
      for (const query of [
        ...['network=meta&country=DE', 'network=meta&networkCampaign=&country=DE'],
        ...['network=meta&groupBy=country', 'network=&groupBy=networkCampaign', 'network=Meta'],
      ]) {
        const { status } = await world.call('GET', `/v1/stats?${query}`, { key: app.keys.live });
        assert.equal(status, 400, query);
      }
    });

    it('have costs of their own, which divide by their installs and add up to the totals once', async () => {
      const app = await world.newApp();
      const androidDestination = 'https://play.google.com/store/apps/details?id=com.example';
      const link = await world.newLink(app, { campaignId: 'spring', androidDestination });
      const clickId = await world.clickId(link.shortCode, { from: freshAddress() });
      const linked = await newInstall(app, { clickId, fingerprint: { platform: 'ANDROID' } });
      const [apple, alone] = [await newInstall(app), await newInstall(app)];
      await buy(app, linked, '12');
      await buy(app, apple, '30');
      await buy(app, alone, '1000');
      // A link and a network brought this one.
      await claim(app, linked, { name: 'meta', campaignId: '9' });
      await claim(app, apple);
      await post(app, 'costs', {
        costs: [
          cost({ campaignId: 'spring' }, '6'),
          cost({ network: 'apple_ads', networkCampaignId: '111' }, '10'),
          cost({ network: 'apple_ads', networkCampaignId: '222' }, '5'),
          cost({ network: 'tiktok', networkCampaignId: '111' }, '7'),
        ],
      });
      const of = ({ key, network, cost: all, costPerInstall, returnOnAdSpend }: Answer) => [
        ...[network === undefined ? (key ?? '') : `${network} ${key}`, all?.[0]?.amount],
        ...[costPerInstall?.[0]?.amount, returnOnAdSpend?.[0]?.ratio],
      ];
      const all = await read(app, 'groupBy=network,networkCampaign,campaign&sort=cost');
      // Of 28, two installs were brought; organic revenue is no return.
      assert.deepEqual(of(all.totals), ['', '28.00', '14.00', 1.5]);
      assert.deepEqual(all.groups.map(of), [
        ['apple_ads', '15.00', '15.00', 2],
        ['tiktok', '7.00', undefined, 0],
        ['meta', undefined, undefined, undefined],
        ['', undefined, undefined, undefined],
      ]);
      assert.deepEqual(of(all.other), ['', '6.00', undefined, 0]);
      assert.deepEqual(all.groupings[1].groups.slice(0, 3).map(of), [
        ['apple_ads 111', '10.00', '10.00', 3],
        ['tiktok 111', '7.00', undefined, 0],
        ['apple_ads 222', '5.00', undefined, 0],
      ]);
      assert.deepEqual(all.groupings[2].groups.map(of)[0], ['spring', '6.00', '6.00', 2]);
      assert.deepEqual(of(all.groupings[2].other), ['', '22.00', undefined, 0]);
      for (const grouping of all.groupings) {
        const sums = [...grouping.groups, grouping.other].map((each) => Number(each.cost[0]?.amount ?? 0));
        assert.equal(
          sums.reduce((sum, each) => sum + each, 0),
          28,
          grouping.groupBy,
        );
      }
      for (const [query, expected] of [
        ['network=apple_ads', ['', '15.00', '15.00', 2]],
        ['networkCampaign=111', ['', '17.00', '17.00', 1.7647]],
        ['network=tiktok&networkCampaign=111', ['', '7.00', undefined, 0]],
        ['campaignId=spring', ['', '6.00', '6.00', 2]],
        ['network=', ['', undefined, undefined, undefined]],
        ['network=meta&campaignId=spring', ['', undefined, undefined, undefined]],
        ['network=apple_ads&platform=IOS', ['', undefined, undefined, undefined]],
      ] as const)
        assert.deepEqual(of((await read(app, query)).totals), expected, query);
      const nested = await read(app, 'network=apple_ads&groupBy=networkCampaign,campaign,network&sort=cost');
      assert.deepEqual(nested.groups.map(of), [
        ['apple_ads 111', '10.00', '10.00', 3],
        ['apple_ads 222', '5.00', undefined, 0],
      ]);
      assert.ok(nested.groupings[1].groups.every((each: object) => !('cost' in each)));
      assert.deepEqual(nested.groupings[2].groups.map(of), [['apple_ads', '15.00', '15.00', 2]]);
    });

    it('stay when an install is erased, and go with it when it is deleted', async () => {
      const app = await world.newApp();
      const installIds = [await newInstall(app), await newInstall(app)];
      for (const installId of installIds) {
        await claim(app, installId);
        await post(app, 'sdk/event', { installId, eventName: 'buy', revenue: euros('2'), userId: 'ada' });
      }
      world.clock.advance(DAY_MS);
      const before = await read(app, 'groupBy=networkCampaign');
      assert.equal(before.groups[0].cohortRevenue[0].amount, '4.00');
      const { requestIds } = await post(app, 'privacy/erase', { userId: 'ada' });
      await waitFor('the erasure', async () => {
        const path = `/v1/privacy/erase/${requestIds[0]}`;
        const { body } = await world.call('GET', path, { key: app.keys.live });
        return body.status === 'completed' || undefined;
      });
      assert.deepEqual(await read(app, 'groupBy=networkCampaign'), before);
      await post(app, 'installs/deletions', { installIds: installIds.slice(1) });
      const { groups } = await read(app, 'groupBy=networkCampaign');
      assert.deepEqual(groups.map(rowOf), [['apple_ads', '111', 1, 1, 1, '2.00', '2.00']]);
      await post(app, 'installs/deletions', { installIds });
      assert.deepEqual((await read(app, 'groupBy=networkCampaign')).groups, []);
    });

    it('that answer while an install is deleted leave no count of it', async () => {
      const app = await world.newApp();
      const installIds = await Promise.all(Array.from({ length: 5 }, () => newInstall(app)));
      const kept = await newInstall(app);
      for (const installId of [...installIds, kept]) await buy(app, installId, '1');
      await Promise.all([
        ...installIds.map((installId) => claim(app, installId)),
        post(app, 'installs/deletions', { installIds }),
      ]);
      const { groups } = await read(app, 'groupBy=network');
      assert.deepEqual(groups.map(rowOf), [['', null, 1, 0, 1, '1.00', '1.00']]);
    });
  });
