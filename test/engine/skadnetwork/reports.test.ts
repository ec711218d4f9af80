/** The list and the summary of postbacks, and the names of conversion values in both. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { newJws, newPostback } from '../../helpers/local-keys.ts';
import { list, newStoreApp, type StoreApp, send, useLocalKeys } from '../../helpers/postback-scene.ts';

const NAMES = {
  windows: [
    {
      fine: [
        { from: 0, to: 0, eventName: 'opened' },
        { from: 1, to: 20, eventName: 'registered' },
        { from: 21, to: 63, eventName: 'purchased' },
      ],
      coarse: { low: 'opened', high: 'purchased' },
    },
    { coarse: { medium: 'came back' } },
  ],
};

for (const engine of engines)
  describe(`lists and summaries of postbacks on ${engine}`, () => {
    const world = useLocalKeys(engine);
    const sendAll = async (app: StoreApp, changes: readonly Record<string, unknown>[]) => {
      for (const change of changes)
        assert.equal((await send(world, newPostback({ 'app-id': app.storeId, ...change }))).status, 200);
    };
    const summary = async (key: string, query = '') =>
      await world.call('GET', `/v1/skan/summary${query}`, { key });
    const put = (key: string, body: unknown) =>
      world.call('PUT', '/v1/skan/conversion-values', { key, body });

    it('every filter finds its postbacks and no others', async () => {
      const app = await newStoreApp(world);
      await sendAll(app, [
        { 'source-identifier': '11' },
        { 'ad-network-id': 'other.skadnetwork' },
        { 'did-win': false },
        { 'postback-sequence-index': 2 },
      ]);
      const old = { version: '3.0', 'campaign-id': 7, 'app-id': app.storeId };
      await send(world, { ...old, 'attribution-signature': 'AAAA' });
      await send(world, { 'jws-string': newJws({ 'advertised-item-identifier': app.storeId }) });
      const found = async (query: string) => (await list(world, app.keys.live, query)).length;
      for (const [query, count] of [
        ['', 6],
        ['?kind=skadnetwork', 5],
        ['?kind=adattributionkit', 1],
        ['?version=4.0', 4],
        ['?version=3.0', 1],
        ['?verdict=invalid', 1],
        ['?verdict=verified&kind=skadnetwork', 4],
        ['?adNetworkId=other.skadnetwork', 1],
        ['?sourceIdentifier=11', 1],
        ['?campaignId=7', 1],
        ['?sequenceIndex=2', 1],
        ['?didWin=false', 1],
        ['?didWin=true', 4],
        ['?from=2020-01-01T00:00:00Z', 6],
        ['?to=2020-01-01T00:00:00Z', 0],
        ['?from=2099-01-01T00:00:00Z', 0],
        ['?limit=2', 2],
      ] as const)
        assert.equal(await found(query), count, query);
    });

    it('times outside 1970 to 9999 and leap seconds are rejected', async () => {
      const { keys } = await newStoreApp(world);
      for (const time of ['1969-12-31T23:59:59Z', '2016-12-31T23:59:60Z', '9999-12-31T23:59:59-14:00'])
        for (const name of ['from', 'to']) {
          const { status, body } = await world.call('GET', `/v1/skan/postbacks?${name}=${time}`, {
            key: keys.live,
          });
          assert.equal(status, 400, `${name}=${time}`);
          assert.match(body.error, new RegExp(`^${name} must be a date-time from 1970 to 9999`));
        }
    });

    it('pages run from the newest to the oldest', async () => {
      const app = await newStoreApp(world);
      await sendAll(
        app,
        ['1', '2', '3'].map((id) => ({ 'source-identifier': id })),
      );
      const all = await list(world, app.keys.live);
      assert.deepEqual(
        all.map(({ sourceIdentifier }) => sourceIdentifier),
        ['3', '2', '1'],
      );
      assert.deepEqual(await list(world, app.keys.live, `?limit=1&before=${all[0]?.id}`), [all[1]]);
      assert.deepEqual(await list(world, app.keys.live, `?before=${all[2]?.id}`), []);
      const [{ id, receivedAt } = {}] = all;
      const ids = async (query: string) => (await list(world, app.keys.live, query)).map((one) => one.id);
      assert.ok((await ids(`?from=${receivedAt}`)).includes(id));
      assert.ok(!(await ids(`?to=${receivedAt}`)).includes(id));
    });

    it('an item has the verdict, the unsigned fields and the postback as sent', async () => {
      const app = await newStoreApp(world);
      const sent = newPostback({ 'app-id': app.storeId, 'conversion-value': 5, 'country-code': 'FR' });
      await send(world, sent);
      const [item] = await list(world, app.keys.live);
      const { id, receivedAt, ...rest } = item ?? {};
      assert.ok(id && receivedAt);
      assert.deepEqual(rest, {
        kind: 'skadnetwork',
        version: '4.0',
        sentBy: 'device',
        sandbox: false,
        verdict: 'verified',
        reason: null,
        timesReceived: 1,
        appStoreId: app.storeId,
        adNetworkId: 'example123.skadnetwork',
        transactionId: sent['transaction-id'],
        sequenceIndex: 0,
        sourceIdentifier: '5239',
        campaignId: null,
        didWin: true,
        conversionType: 'download',
        conversionValue: 5,
        coarseConversionValue: null,
        eventName: null,
        countryCode: 'FR',
        unsignedFields: ['conversion-value', 'country-code'],
        postback: sent,
        fieldsLeftOut: 0,
        payload: null,
      });
    });

    it('all fields of an unverified postback are unsigned', async () => {
      const app = await newStoreApp(world);
      const forged = { ...newPostback({ 'app-id': app.storeId }), redownload: true };
      await send(world, forged);
      const [item] = await list(world, app.keys.live);
      assert.deepEqual(item?.unsignedFields, Object.keys(forged));
    });

    it('the summary counts verified postbacks by day, source, window and value, and winners as installs', async () => {
      const app = await newStoreApp(world);
      await put(app.keys.live, NAMES);
      const lost = { 'did-win': false, 'source-app-id': undefined };
      await sendAll(app, [{}, {}, lost, { 'conversion-value': 63 }, { 'source-identifier': '12' }]);
      await sendAll(app, [
        { 'postback-sequence-index': 1, 'conversion-value': undefined, 'coarse-conversion-value': 'medium' },
      ]);
      const reengaged = { 'advertised-item-identifier': app.storeId, 'conversion-type': 're-engagement' };
      await send(world, { 'jws-string': newJws(reengaged) });
      await send(world, { ...newPostback({ 'app-id': app.storeId }), redownload: true });
      const { status, body, text } = await summary(app.keys.live);
      assert.equal(status, 200, text);
      const network = 'example123.skadnetwork';
      const group = (
        [source, index, value, coarse, eventName]: (string | number | null)[],
        postbacks: number,
        installs: number,
        adNetworkId = network,
      ) => ({
        ...{ day: new Date(world.clock.nowMs()).toISOString().slice(0, 10), adNetworkId },
        ...{ sourceIdentifier: source, campaignId: null, sequenceIndex: index },
        ...{ conversionValue: value, coarseConversionValue: coarse, eventName, postbacks, installs },
      });
      assert.deepEqual(body, [
        group(['4321', 0, null, null, null], 1, 0, 'com.example'),
        group(['12', 0, 20, null, 'registered'], 1, 1),
        group(['5239', 0, 20, null, 'registered'], 3, 2),
        group(['5239', 0, 63, null, 'purchased'], 1, 1),
        group(['5239', 1, null, 'medium', 'came back'], 1, 0),
      ]);
      assert.deepEqual((await summary(app.keys.live, '?limit=2&offset=1')).body, body.slice(1, 3));
      assert.deepEqual((await summary(app.keys.test)).body, []);
    });

    it('the summary covers the requested days', async () => {
      const app = await newStoreApp(world);
      await sendAll(app, [{}]);
      const day = (daysAgo: number) =>
        new Date(world.clock.nowMs() - daysAgo * DAY_MS).toISOString().slice(0, 10);
      const groups = async (query: string) => (await summary(app.keys.live, query)).body.length;
      assert.equal(await groups(`?from=${day(0)}&to=${day(0)}`), 1);
      assert.equal(await groups(`?to=${day(1)}`), 0);
      world.clock.advance(29 * DAY_MS - MINUTE_MS);
      assert.equal(await groups(''), 1);
      world.clock.advance(2 * DAY_MS);
      assert.equal(await groups(''), 0);
      for (const query of [
        '?from=2026-02-30',
        '?to=yesterday',
        '?from=2026-01-02&to=2026-01-01',
        '?from=2025-01-01&to=2026-01-02',
        '?limit=1001',
      ])
        assert.equal((await summary(app.keys.live, query)).status, 400, query);
      assert.equal((await summary(app.keys.live, '?from=2025-01-01&to=2026-01-01')).status, 200);
    });

    it('new names of conversion values replace all, for stored postbacks too', async () => {
      const app = await newStoreApp(world);
      const { keys } = app;
      const get = async () =>
        (await world.call('GET', '/v1/skan/conversion-values', { key: keys.live })).body.windows;
      const none = { fine: [], coarse: { low: null, medium: null, high: null } };
      assert.deepEqual(await get(), [none, none, none]);
      await sendAll(app, [
        { 'conversion-value': 0 },
        { 'conversion-value': 21 },
        { 'conversion-value': undefined },
        { 'conversion-value': undefined, 'coarse-conversion-value': 'high' },
        { 'conversion-value': undefined, 'coarse-conversion-value': 'high', 'postback-sequence-index': 2 },
        { 'conversion-value': 64 },
      ]);
      const shown = async () =>
        (await list(world, keys.live))
          .map((one) => [one.conversionValue ?? one.coarseConversionValue, one.eventName])
          .reverse();
      const values = [0, 21, null, 'high', 'high', null];
      assert.deepEqual(
        await shown(),
        values.map((value) => [value, null]),
      );
      const answer = await put(keys.live, NAMES);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await get(), answer.body.windows);
      assert.deepEqual(
        (await shown()).map(([, name]) => name),
        ['opened', 'purchased', null, 'purchased', null, null],
      );
      await put(keys.live, { windows: [{ fine: [{ from: 21, to: 21, eventName: 'paid' }] }] });
      assert.deepEqual(
        (await shown()).map(([, name]) => name),
        [null, 'paid', null, null, null, null],
      );
    });

    it('ranges that overlap, are reversed or out of bounds are rejected', async () => {
      const { keys } = await newStoreApp(world);
      const range = (from: number, to: number, eventName = 'x') => ({ from, to, eventName });
      for (const windows of [
        [{ fine: [range(0, 5), range(5, 9)] }],
        [{ fine: [range(7, 9), range(0, 63)] }],
        [{}, { fine: [range(5, 4)] }],
        [{ fine: [range(0, 64)] }],
        [{ fine: [range(-1, 0)] }],
        [{ fine: [range(0, 0, '')] }],
        [{ fine: [range(0, 0, 'x'.repeat(256))] }],
        [{ coarse: { low: 7 } }],
        [{}, {}, {}, {}],
        'none',
      ]) {
        const { status, body } = await put(keys.live, { windows });
        assert.equal(status, 400, JSON.stringify(windows));
        assert.match(body.error, /windows/);
      }
    });
  });
