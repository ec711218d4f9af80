import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Actor } from '../../../src/auth/index.ts';
import { storeCosts } from '../../../src/stats/costs/store-costs.ts';
import { engines, neutralEngines } from '../../helpers/engines.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const cost = (campaignId: string, amount = '10', date = '2026-01-31', currency = 'EUR') => ({
  ...{ date, campaignId },
  cost: { amount, currency },
});
const CSV = { 'content-type': 'text/csv' };
/** An app may upload 60 times a minute. */
const MOST_UPLOADS = 50;

for (const engine of engines)
  describe(`costs on ${engine}`, () => {
    const world = useWorld(engine);
    const store = async (app: TestApp, costs: unknown, { key = app.keys.live, query = '' } = {}) =>
      await world.call('POST', `/v1/costs${query}`, { key, body: { costs } });
    const outcomesOf = async (app: TestApp, costs: unknown) => {
      const { body } = await store(app, costs);
      return [body.created, body.replaced, body.unchanged, body.failed];
    };
    const list = async (app: TestApp, query = '', key = app.keys.live) => {
      const { status, body, text } = await world.call('GET', `/v1/costs${query}`, { key });
      assert.equal(status, 200, text);
      return body as { id: string; date: string; campaignId: string; cost: { amount: string } }[];
    };
    const amounts = async (app: TestApp, query = '') =>
      (await list(app, query)).map(
        ({ date, campaignId, cost: { amount } }) => `${date} ${campaignId} ${amount}`,
      );
    const auditOf = async (app: TestApp) => {
      const { body } = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
      return (body as { action: string; details: Record<string, unknown> }[]).filter(({ action }) =>
        action.startsWith('cost'),
      );
    };

    it('a cost with the same date, campaign and currency replaces the former one, and keeps its id', async () => {
      const app = await world.newApp();
      assert.deepEqual(
        await outcomesOf(app, [cost('spring', '10'), cost('fall', '999999999999.9999')]),
        [2, 0, 0, 0],
      );
      const [{ id } = { id: '' }] = await list(app, '?campaignId=spring');
      assert.deepEqual(
        await outcomesOf(app, [cost('spring', '12.5'), cost('fall', '999999999999.9999')]),
        [0, 1, 1, 0],
      );
      assert.deepEqual(await outcomesOf(app, [cost('spring', '12.50')]), [0, 0, 1, 0]);
      assert.deepEqual(
        (await list(app, '?campaignId=spring')).map((each) => [each.id, each.cost]),
        [[id, { amount: '12.50', currency: 'EUR' }]],
      );
    });

    it('of another currency, day, campaign or network stand beside each other', async () => {
      const app = await world.newApp();
      const ofNetwork = { date: '2026-01-31', network: 'apple_ads', networkCampaignId: 'spring' };
      const costs = [
        ...[cost('spring'), cost('spring', '10', '2026-01-31', 'USD'), cost('spring', '10', '2026-01-30')],
        ...[cost('Spring'), { ...ofNetwork, cost: { amount: '1', currency: 'EUR' } }],
      ];
      assert.deepEqual(await outcomesOf(app, costs), [5, 0, 0, 0]);
      assert.deepEqual(await outcomesOf(app, costs), [0, 0, 5, 0]);
    });

    it('that are right are stored, and each other one is reported by its row', async () => {
      const app = await world.newApp();
      await world.newLink(app, { campaignId: 'known' });
      const { status, body } = await store(app, [
        cost('known'),
        cost('b', '-1'),
        cost('c', '1', '2026-02-30'),
        { date: '2026-01-31', cost: { amount: '1', currency: 'EUR' } },
        { ...cost('e'), network: 'meta', networkCampaignId: '1' },
        { date: '2026-01-31', network: 'meta', cost: { amount: '1', currency: 'EUR' } },
        cost('unknown'),
        cost('g', '1', '2099-01-01'),
        cost('twice', '1'),
        cost('twice', '2'),
        'text',
        cost('k\0'),
      ]);
      assert.equal(status, 200);
      const { failures, ...counts } = body;
      assert.deepEqual(counts, {
        ...{ created: 2, replaced: 0, unchanged: 0, failed: 10 },
        ...{ unknownCampaigns: ['unknown'], ignoredColumns: [] },
      });
      assert.deepEqual(
        failures.map(({ row, message }: { row: number; message: string }) =>
          `${row} ${message}`.slice(0, 30),
        ),
        [
          '2 cost.amount must be a decima',
          '3 date must be a day from 1970',
          '4 The campaign is missing. Giv',
          '5 A cost has either campaignId',
          '6 network and networkCampaignI',
          '8 date is more than 366 days a',
          '9 Row 10 has the same date, ca',
          '10 Row 9 has the same date, ca',
          '11 The cost must be an object.',
          '12 campaignId contains a NUL c',
        ],
      );
      assert.deepEqual(await amounts(app), ['2026-01-31 unknown 10.00', '2026-01-31 known 10.00']);
    });

    it('of a campaign that no network can name are stored and named as unknown, and IDs of networks lose their spaces', async () => {
      const app = await world.newApp();
      const ofNetwork = (network: string, networkCampaignId: string) => ({
        ...{ date: '2026-01-31', network, networkCampaignId, cost: { amount: '1', currency: 'EUR' } },
      });
      const { body } = await store(app, [
        ofNetwork('meta', ' 654321 '),
        ofNetwork('apple_ads', '542370539'),
        ofNetwork('facebook', '654321'),
        ofNetwork('meta', '1.20210E+17'),
        ofNetwork('meta', '120,210,000'),
        ofNetwork('meta', '  '),
      ]);
      assert.deepEqual([body.created, body.failures.length], [5, 1]);
      assert.deepEqual(body.unknownCampaigns, ['facebook 654321', 'meta 1.20210E+17', 'meta 120,210,000']);
      const { body: listed } = await world.call('GET', '/v1/costs?networkCampaignId=654321', {
        key: app.keys.live,
      });
      assert.equal(listed.length, 2);
    });

    it('of a CSV file are stored like those of a JSON body, with its lines in the report', async () => {
      const app = await world.newApp();
      const rawBody =
        '\uFEFFdate;campaign;amount;currency;clicks\r\n2026-01-31;März;1,5;EUR;7\r\n31.01.2026;b;1;EUR;8\r\n';
      const headers = { 'content-type': 'text/csv; charset=utf-8' };
      const { body, text } = await world.call('POST', '/v1/costs', { key: app.keys.live, rawBody, headers });
      assert.equal(body.created, 1, text);
      assert.deepEqual(body.failures, [
        { row: 3, message: 'date: “31.01.2026” is not a day from 1970 on, written as 2026-01-31.' },
      ]);
      assert.deepEqual([body.unknownCampaigns, body.ignoredColumns], [['März'], ['clicks']]);
      assert.deepEqual(await amounts(app), ['2026-01-31 März 1.50']);
    });

    it('of 5,000 rows are stored at once, and a second time unchanged', async () => {
      const app = await world.newApp();
      const rows = Array.from({ length: 5_000 }, (_, index) => `2026-01-31,c${index},1,EUR`);
      const rawBody = `date,campaign,amount,currency\n${rows.join('\n')}`;
      const upload = async () =>
        (await world.call('POST', '/v1/costs', { key: app.keys.live, rawBody, headers: CSV })).body;
      assert.equal((await upload()).created, 5_000);
      assert.equal((await upload()).unchanged, 5_000);
    });

    it('of many rows let other writers in between', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const rows = Array.from({ length: 5_000 }, (_, index) => `2026-01-31,c${index},1,EUR`);
      const rawBody = `date,campaign,amount,currency\n${rows.join('\n')}`;
      let isStored = false;
      let between = 0;
      const upload = world.call('POST', '/v1/costs', { key: app.keys.live, rawBody, headers: CSV });
      void upload.then(() => (isStored = true));
      while (!isStored && between < MOST_UPLOADS) {
        assert.deepEqual(await outcomesOf(other, [cost(`c${between}`)]), [1, 0, 0, 0]);
        between += 1;
      }
      assert.equal((await upload).body.created, 5_000);
      assert.equal((await auditOf(app)).length, 1);
      // IDs have the order in which they were made, in the transaction of their rows.
      const stored = await world.service.db.selectFrom('costs').select(['id', 'app_id']).execute();
      const [theirs, own] = [other, app].map((of) =>
        stored
          .filter((row) => row.app_id === of.id)
          .map(({ id }) => id)
          .sort(),
      );
      const isBetween = (id: string) => id > String(own?.[0]) && id < String(own?.at(-1));
      assert.ok(theirs?.some(isBetween), String(between));
    });

    it('sent twice at once are created once', async () => {
      const app = await world.newApp();
      const both = await Promise.all([outcomesOf(app, [cost('a', '1')]), outcomesOf(app, [cost('a', '2')])]);
      assert.deepEqual(both.sort(), [
        [0, 1, 0, 0],
        [1, 0, 0, 0],
      ]);
      assert.equal((await list(app)).length, 1);
    });

    it('of a dry run are shown as they were understood, and not stored', async () => {
      const app = await world.newApp();
      await store(app, [cost('a', '1')]);
      const { body } = await store(app, [cost('a', '2'), cost('b')], { query: '?dryRun=true' });
      assert.deepEqual([body.created, body.replaced], [1, 1]);
      const other = { network: null, networkCampaignId: null, networkCampaignName: null };
      assert.deepEqual(body.costs, [
        { row: 1, outcome: 'replaced', ...cost('a', '2.00'), ...other },
        { row: 2, outcome: 'created', ...cost('b', '10.00'), ...other },
      ]);
      assert.deepEqual(await amounts(app), ['2026-01-31 a 1.00']);
      assert.equal((await auditOf(app)).length, 1);
    });

    it('are listed by day, newest first, in pages and by filters', async () => {
      const app = await world.newApp();
      const days = ['2026-01-29', '2026-01-31', '2026-01-30'];
      await store(
        app,
        days.flatMap((day) => [cost('a', '1', day), cost('b', '2', day)]),
      );
      const all = await list(app);
      assert.deepEqual(
        all.map(({ date, campaignId }) => `${date.slice(-2)}${campaignId}`),
        ['31b', '31a', '30b', '30a', '29b', '29a'],
      );
      const paged = [];
      for (let page = await list(app, '?limit=2'); page.length > 0; ) {
        paged.push(...page);
        page = await list(app, `?limit=2&before=${page.at(-1)?.id}`);
      }
      assert.deepEqual(paged, all);
      assert.deepEqual(await amounts(app, '?from=2026-01-30&to=2026-01-30&campaignId=b'), [
        '2026-01-30 b 2.00',
      ]);
      const ofNetwork = { network: 'apple_ads', networkCampaignId: '1', campaignId: null };
      await store(app, [{ ...cost('a', '3.00'), ...ofNetwork }]);
      await store(app, [{ ...cost('a', '4.00'), ...ofNetwork, network: 'meta' }]);
      for (const [query, expected] of [
        ['?campaignId=', ['3.00', '4.00']],
        ['?network=apple_ads', ['3.00']],
        ['?networkCampaignId=1', ['3.00', '4.00']],
        ['?network=meta&networkCampaignId=1', ['4.00']],
        ['?network=meta&networkCampaignId=2', []],
        ['?network=meta&campaignId=a', []],
      ] as const)
        assert.deepEqual((await list(app, query)).map((each) => each.cost.amount).sort(), expected, query);
    });

    it('a deleted cost is gone, and the audit log says who deleted what', async () => {
      const app = await world.newApp();
      await store(app, [cost('a', '1.5'), cost('b', 'x')]);
      await store(app, [cost('a', '1.5')]);
      const [{ id } = { id: '' }] = await list(app);
      const remove = async (key: string) => (await world.call('DELETE', `/v1/costs/${id}`, { key })).status;
      assert.equal(await remove((await world.newApp()).keys.live), 404);
      assert.equal(await remove(app.keys.test), 404);
      assert.equal(await remove(app.keys.live), 204);
      assert.equal(await remove(app.keys.live), 404);
      assert.deepEqual(await list(app), []);
      const [deleted, stored, ...others] = await auditOf(app);
      const { changedBy: _by, keyId: _key, ...what } = deleted?.details ?? {};
      const fields = { ...cost('a', '1.50'), network: null, networkCampaignId: null };
      assert.deepEqual([deleted?.action, what], ['cost.deleted', { recordId: id, ...fields }]);
      assert.equal(stored?.action, 'costs.updated');
      const { from, to, created, replaced, unchanged, failed } = stored?.details ?? {};
      assert.deepEqual(
        [from, to, created, replaced, unchanged, failed],
        ['2026-01-31', '2026-01-31', 1, 0, 0, 1],
      );
      assert.deepEqual(others, []);
    });

    it('of days or a campaign are deleted together, once their number is confirmed', async () => {
      const app = await world.newApp();
      const days = ['2026-01-29', '2026-01-30', '2026-01-31'];
      const ofNetwork = { date: days[0], network: 'meta', networkCampaignId: 'a' };
      await store(
        app,
        days.flatMap((day) => [cost('a', '1', day), cost('b', '2', day)]),
      );
      await store(app, [{ ...ofNetwork, cost: { amount: '3', currency: 'EUR' } }]);
      await store(app, [cost('a')], { key: app.keys.test });
      const remove = async (query: string, key = app.keys.live) => {
        const { status, body } = await world.call('DELETE', `/v1/costs?${query}`, { key });
        return status === 200 ? body.deleted : `${status} ${body.error}`;
      };
      assert.match(await remove(''), /^400 Give one of from, to, campaignId, network/);
      assert.match(await remove('confirm=7'), /^400 Give one of from/);
      assert.match(await remove('campaignId=a'), /^400 The filter leaves 3 costs\. Send confirm=3/);
      assert.match(await remove('campaignId=a&confirm=4'), /^400 The filter leaves 3 costs/);
      assert.match(await remove('from=2026-02-30&confirm=0'), /^400 from must be a day/);
      assert.match(
        await remove('from=2026-01-29&campaignid=a&dryRun=true'),
        /^400 campaignid is no parameter/,
      );
      assert.equal(await remove('campaignId=a&dryRun=true'), 3);
      assert.equal(await remove('campaignId=a&from=2026-01-30&confirm=2'), 2);
      assert.equal(await remove('to=2026-01-29&confirm=3'), 3);
      assert.equal(await remove('campaignId=a&confirm=0'), 0);
      assert.equal(await remove('network=meta&networkCampaignId=a&confirm=0'), 0);
      assert.equal((await list(app, '', app.keys.test)).length, 1);
      assert.deepEqual(await amounts(app), ['2026-01-31 b 2.00', '2026-01-30 b 2.00']);
      const [latest, first, ...stored] = await auditOf(app);
      assert.equal(stored.length, 3);
      assert.deepEqual(
        [latest, first].map((entry) => {
          const { deleted, from, to, campaignId } = entry?.details ?? {};
          return [entry?.action, deleted, from, to, campaignId];
        }),
        [
          ['cost.deleted', 3, undefined, '2026-01-29', undefined],
          ['cost.deleted', 2, '2026-01-30', undefined, 'a'],
        ],
      );
    });

    it('of a test key are apart from live ones', async () => {
      const app = await world.newApp();
      await store(app, [cost('a', '1')]);
      await store(app, [cost('a', '2')], { key: app.keys.test });
      const amountsOf = async (query: string, key: string) =>
        (await list(app, query, key)).map(({ cost: { amount } }) => amount);
      assert.deepEqual(await amountsOf('', app.keys.live), ['1.00']);
      assert.deepEqual(await amountsOf('?sandbox=true', app.keys.live), ['2.00']);
      assert.deepEqual(await amountsOf('', app.keys.test), ['2.00']);
    });
  });

for (const engine of neutralEngines)
  describe(`refused costs on ${engine}`, () => {
    const world = useWorld(engine);
    const many = Array.from({ length: 1_001 }, (_, index) => cost(`c${index}`));
    const REFUSED: readonly (readonly [string, object, number, RegExp])[] = [
      ['no costs', { body: { costs: [] } }, 400, /at least 1 item/],
      ['1,001 costs', { body: { costs: many } }, 400, /at most 1000 items/],
      ['no body', {}, 400, /body/],
      ['an empty file', { rawBody: '', headers: CSV }, 400, /body|empty/],
      [
        'a file without columns',
        { rawBody: 'a;b\n1;2', headers: CSV },
        400,
        /columns date, amount and currency are missing/,
      ],
      ['a file above 1 MiB', { rawBody: 'a'.repeat(1024 * 1024 + 1), headers: CSV }, 413, /1 MiB/],
      ['another media type', { rawBody: 'a', headers: { 'content-type': 'text/plain' } }, 415, /JSON/],
    ];
    for (const [name, call, status, message] of REFUSED)
      it(`${name} are refused with ${status}`, async () => {
        const app = await world.newApp();
        const answer = await world.call('POST', '/v1/costs', { key: app.keys.live, ...call });
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.body.error, message);
      });

    it('costs above the bound of an app are refused with none of them stored, replacements are not', async () => {
      const { id: appId } = await world.newApp();
      const { db } = world.service;
      const actor = { kind: 'key', appId, keyId: appId, mode: 'live' } as unknown as Actor;
      const store = async (costs: object[], isDryRun = false) => {
        const rows = costs.map((value, index) => ({ row: index + 1, value }));
        const upload = { ...{ rows, columns: null, ignoredColumns: [] }, isDryRun };
        const deps = { db, clock: world.clock, ids: { next: () => randomUUID() } };
        return (await storeCosts(deps, { actor, upload }, 2)).created;
      };
      assert.equal(await store([cost('a')]), 1);
      const refused = { code: 'cost.too_many', message: /at most 200,000 costs\. Remove some/ };
      await assert.rejects(() => store([cost('b'), cost('c')], true), refused);
      await assert.rejects(() => store([cost('b'), cost('c')]), refused);
      assert.equal(await store([cost('b')]), 1);
      assert.equal(await store([cost('a', '11')]), 0);
      await assert.rejects(() => store([cost('c')]), refused);
    });

    it('a day that does not exist and an unknown cursor are refused in a list', async () => {
      const app = await world.newApp();
      for (const query of ['from=2026-02-30', 'before=01900000-0000-7000-8000-000000000000', 'sandbox=false'])
        assert.equal(
          (await world.call('GET', `/v1/costs?${query}`, { key: app.keys.test })).status,
          400,
          query,
        );
    });
  });
