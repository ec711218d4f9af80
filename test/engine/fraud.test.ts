import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listClicksInRange } from '../../src/click-log/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { leastIdAt } from '../../src/lib/ids.ts';
import { sumLinkCounts } from '../../src/stats/index.ts';
import { engines } from '../helpers/engines.ts';
import { planOf } from '../helpers/statements.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`the report of suspicious links on ${engine}`, () => {
    const world = useWorld(engine);
    const report = async (app: TestApp, query = '', key = app.keys.live) =>
      await world.call('GET', `/v1/fraud/links${query}`, { key });

    /** 32 clicks and 8 installs. */
    async function ordinaryLink(app: TestApp) {
      const { shortCode } = await world.newLink(app, PLAY);
      for (let person = 0; person < 32; person++) {
        const from = freshAddress();
        const clickId = await world.clickId(shortCode, { from });
        const body = { clickId, fingerprint: { platform: 'ANDROID' } };
        if (person % 4 === 0) await world.install(app, body, { from });
      }
      return shortCode;
    }

    it('lists a flood from one network first, compared with the other links', async () => {
      const app = await world.newApp();
      const ordinary = [];
      for (let n = 0; n < 3; n++) ordinary.push(await ordinaryLink(app));
      const { shortCode: flooded } = await world.newLink(app, { ...PLAY, campaignId: 'partner' });
      const from = freshAddress();
      for (let n = 0; n < 150; n++) {
        await world.tap(flooded, { from });
        await world.tap(flooded, { from, headers: { 'sec-fetch-dest': 'image' } });
      }
      const { status, body } = await report(app);
      assert.equal(status, 200);
      assert.deepEqual([body.ordinaryShare, body.linksCompared], [0.25, 4]);
      const [first, ...others] = body.links;
      const { findings, ...figures } = first;
      assert.deepEqual(figures, {
        shortCode: flooded,
        campaignId: 'partner',
        clicks: 150,
        toolClicks: 0,
        installs: 0,
        share: 0,
        ratio: 0,
        networks: { clicks: 150, distinct: 1, largest: 150, largestShare: 1 },
      });
      assert.deepEqual(findings.map(({ code }: { code: string }) => code).sort(), [
        'few_installs',
        'one_network',
      ]);
      assert.deepEqual(others.map((link: { shortCode: string }) => link.shortCode).sort(), ordinary.sort());
      for (const { findings, share, ratio, networks } of others)
        assert.deepEqual([findings, share, ratio, networks.distinct], [[], 0.25, 1, 32]);

      const another = await world.newApp();
      assert.deepEqual((await report(another)).body.links, []);
      const yesterday = new Date(world.clock.nowMs() - DAY_MS).toISOString().slice(0, 10);
      assert.deepEqual((await report(app, `?to=${yesterday}`)).body.links, []);
    });

    it('for a test key excludes links that left the sandbox; for a live key, installs of debug builds', async () => {
      const app = await world.newApp();
      const { shortCode: left } = await world.newLink(app, {}, app.keys.test);
      await world.tap(left);
      await world.call('PATCH', `/v1/links/${left}`, { key: app.keys.live, body: { sandbox: false } });
      assert.deepEqual((await report(app, '', app.keys.test)).body.links, []);
      const { shortCode } = await world.newLink(app, PLAY);
      const body = { clickId: await world.clickId(shortCode), fingerprint: { platform: 'ANDROID' } };
      await world.install(app, body, { key: app.keys.test_publishable });
      const [link] = (await report(app)).body.links;
      assert.deepEqual([link.shortCode, link.clicks, link.installs], [shortCode, 1, 0]);
    });

    it('has live links for a live key, sandbox links for a test key, and no deleted links', async () => {
      const app = await world.newApp();
      const live = await world.newLink(app);
      const sandbox = await world.newLink(app, {}, app.keys.test);
      const deleted = await world.newLink(app);
      for (const { shortCode } of [live, sandbox, deleted]) await world.tap(shortCode);
      await world.call('DELETE', `/v1/links/${deleted.shortCode}`, { key: app.keys.live });
      const codesFor = async (key: string) =>
        (await report(app, '', key)).body.links.map((link: { shortCode: string }) => link.shortCode);
      assert.deepEqual(await codesFor(app.keys.live), [live.shortCode]);
      assert.deepEqual(await codesFor(app.keys.test), [sandbox.shortCode]);
    });

    it('responds with 400 for more than 31 days, or for an invalid day', async () => {
      const app = await world.newApp();
      for (const query of ['?from=2026-01-01&to=2026-02-01', '?from=yesterday'])
        assert.equal((await report(app, query)).status, 400, query);
      assert.equal((await report(app, '?from=2026-01-01&to=2026-01-31')).status, 200);
    });

    it('reads only hits and counts of the app and the period', async () => {
      const { service } = world;
      const appId = service.ids.next();
      const ids = {
        fromId: leastIdAt(service.clock.nowMs() - DAY_MS),
        beforeId: leastIdAt(service.clock.nowMs()),
      };
      const hits = await planOf(service.db, (db) => listClicksInRange(db, appId, { ...ids, limit: 10 }));
      assert.doesNotMatch(hits, /Seq Scan|SCAN clicks|TEMP B-TREE/);
      const days = { fromDay: '2026-01-01', toDay: '2026-01-31' };
      const sums = await planOf(service.db, (db) => sumLinkCounts(db, appId, { sandbox: 0, ...days }));
      assert.match(sums, /USING PRIMARY KEY|count_days_pkey/);
      assert.match(sums, /dimension\s?=.*day\s?>.*day\s?</);
      assert.doesNotMatch(sums, /Seq Scan|SCAN count_days/);
    });
  });
