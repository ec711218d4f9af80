/** What Meta's block and Google's click IDs in a referrer say of an install. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { engines } from '../../helpers/engines.ts';
import {
  META_AD,
  META_BLOCK,
  META_CLAIM,
  META_KEY,
  metaBlockOf,
  metaReferrerOf,
} from '../../helpers/meta-block.ts';
import { storedRows } from '../../helpers/refusal.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const fingerprint = { platform: 'ANDROID' };
const GCLID = 'Cj0KCQjw0LDBBhCnARIsAMpYlAoD_u36hVrC7aMKQc';
const REFERRER = metaReferrerOf(META_BLOCK);
const OTHER_KEY = 'AB'.repeat(32);

for (const engine of engines)
  describe(`referrers of ad networks on ${engine}`, () => {
    const receiver = useReceiver();
    const world = useWorld(engine, RECEIVER_ENV);
    const install = async (app: TestApp, body: object) => {
      const call = { key: app.keys.live_publishable, from: freshAddress() };
      const answer = await world.install(app, { fingerprint, ...body }, call);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const read = async (app: TestApp, installId: string) =>
      (await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live })).body;
    const said = async (app: TestApp, body: object) => {
      const { network, explanation } = await read(app, (await install(app, body)).installId);
      const outcomes = explanation.network.map(
        (each: Record<string, string>) => `${each.name} ${each.outcome}`,
      );
      return { network, outcomes: outcomes.join(), explanation };
    };

    it('Meta’s block is decrypted with the key of the app, and told to webhooks; the answer says nothing of it', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY });
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      const { installId: _, ...plain } = await install(app, { installReferrer: 'utm_source=google-play' });
      const { installId, ...answer } = await install(app, {
        ...{ installReferrer: REFERRER, referrerClickTimestampServerSeconds: 1_764_100_001 },
      });
      assert.deepEqual(answer, plain);
      const claim = { ...META_CLAIM, clickedAt: '2025-11-25T19:46:41.000Z' };
      const { network, method, explanation } = await read(app, installId);
      assert.deepEqual([network, method], [claim, 'ORGANIC']);
      assert.deepEqual(explanation.network, [
        {
          ...{ name: 'meta', outcome: 'attributed' },
          reason: 'Meta’s referrer names the ad that led to the install.',
        },
      ]);
      const told = (await hook.arrived(3)).map(envelopeOf);
      const data = told.find(({ event }) => event === 'install.network_attributed')?.data;
      assert.deepEqual(data, { installId, platform: 'ANDROID', appName: 'Test app', ...claim });
      const test = await install(app, { installReferrer: REFERRER, debugBuild: true });
      const { body } = await world.call('GET', `/v1/sdk/installs/${test.installId}/explanation`, {
        key: app.keys.test_publishable,
      });
      assert.deepEqual([body.network, body.explanation.network.length], [META_CLAIM, 1]);
    });

    it('the key is never in an answer, a log or the database as it is, and the audit log names its change', async () => {
      const app = await world.newApp();
      const patch = async (metaReferrerKey: string | null) =>
        (await world.admin('PATCH', `/apps/${app.id}`, { metaReferrerKey })).body;
      const { hasMetaReferrerKey, ...fields } = await patch(META_KEY.toUpperCase());
      assert.deepEqual([hasMetaReferrerKey, 'metaReferrerKey' in fields], [true, false]);
      assert.equal((await said(app, { installReferrer: REFERRER })).outcomes, 'meta attributed');
      await patch(OTHER_KEY);
      const kept = JSON.stringify([await storedRows(world), fields]).toLowerCase();
      for (const key of [META_KEY, OTHER_KEY]) assert.ok(!kept.includes(key.toLowerCase()));
      assert.equal((await patch(null)).hasMetaReferrerKey, false);
      const { body } = await world.call('GET', '/v1/audit-log?action=app.updated', { key: app.keys.live });
      assert.deepEqual(
        body.map(({ details }: { details: { changes: object } }) => details.changes),
        [{ metaReferrerKey: {} }, { metaReferrerKey: {} }, { metaReferrerKey: {} }],
      );
      const refused = await world.admin('PATCH', `/apps/${app.id}`, { metaReferrerKey: `${META_KEY}M` });
      assert.equal(refused.status, 400);
      assert.ok(!refused.text.includes(META_KEY), refused.text);
    });

    it('a block that cannot be read is no error, and the trace says why', async () => {
      const [none, wrong, right] = [
        await world.newApp(),
        await world.newApp({ metaReferrerKey: OTHER_KEY }),
        await world.newApp({ metaReferrerKey: META_KEY }),
      ];
      const damaged = metaReferrerOf({ ...META_BLOCK, data: META_BLOCK.data.slice(0, 31) });
      for (const [app, installReferrer, outcome, words] of [
        [none, REFERRER, 'no_key', /copy the install referrer decryption key/],
        [wrong, REFERRER, 'wrong_key', /key in the settings of the app is not the one/],
        [right, metaReferrerOf(metaBlockOf('no JSON')), 'wrong_key', /or the block is damaged/],
        [right, damaged, 'damaged', /incomplete/],
        [right, metaReferrerOf(null), 'no_block', /Meta put no ad into it/],
        [right, metaReferrerOf(metaBlockOf({})), 'no_block', /Meta put no ad into it/],
        [right, metaReferrerOf(metaBlockOf([1])), 'no_block', /Meta put no ad into it/],
      ] as const) {
        const { network, outcomes, explanation } = await said(app, { installReferrer });
        assert.deepEqual([network, outcomes], [null, `meta ${outcome}`]);
        assert.match(explanation.network[0].reason, words);
      }
      const { db } = world.service;
      await db
        .updateTable('apps')
        .set({ meta_referrer_key: world.service.secrets.encrypt(META_KEY, 'another owner') })
        .where('id', '=', right.id)
        .execute();
      world.service.appDirectory.forget(right.id);
      assert.equal((await said(right, { installReferrer: REFERRER })).outcomes, 'meta unreadable_key');
    });

    it('Google’s click IDs name the network, are kept for 180 days, and not without consent', async () => {
      const app = await world.newApp();
      const { db } = world.service;
      const idsOf = async (installId: string) => {
        const row = await db
          .selectFrom('installs')
          .select('google_click_ids')
          .where('app_id', '=', app.id)
          .where('id', '=', installId)
          .executeTakeFirstOrThrow();
        return row.google_click_ids === null ? null : JSON.parse(row.google_click_ids);
      };
      const body = { installReferrer: `gclid=${GCLID}&utm_source=google`, referrerClickTimestampSeconds: 0 };
      const { installId } = await install(app, body);
      const { network } = await read(app, installId);
      assert.deepEqual([network.name, network.campaignId, network.clickedAt], ['google_ads', null, null]);
      assert.deepEqual(await idsOf(installId), { gclid: GCLID, gbraid: null });
      const exported = await world.call('POST', '/v1/sdk/identify', {
        ...{ key: app.keys.live, body: { installId, userId: 'ada' } },
      });
      assert.equal(exported.status < 300, true, exported.text);
      const data = await world.call('POST', '/v1/privacy/export', {
        ...{ key: app.keys.live, body: { userId: 'ada' } },
      });
      const [item] = data.body.installs;
      assert.deepEqual([item.network.name, item.googleClickIds.gclid], ['google_ads', GCLID]);

      const shy = await install(app, { installReferrer: 'gclid=shy', deterministicOnly: true });
      assert.equal((await read(app, shy.installId)).network.name, 'google_ads');
      assert.equal(await idsOf(shy.installId), null);
      const web = await install(app, { installReferrer: 'wbraid=CjkKCQ' });
      assert.deepEqual(
        [(await read(app, web.installId)).network.name, await idsOf(web.installId)],
        ['google_ads', null],
      );

      const later = (days: number) => ({ nowMs: () => world.clock.nowMs() + days * DAY_MS });
      await dropOld({ ...world.service, clock: later(179) });
      assert.notEqual(await idsOf(installId), null);
      await dropOld({ ...world.service, clock: later(181) });
      assert.equal(await idsOf(installId), null);
      assert.equal((await read(app, installId)).network.name, 'google_ads');
    });

    it('a tapped ad goes before one that was only seen, the later tap before the earlier, and Play’s referrer before what Meta’s apps remember', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY });
      const now = Math.floor(world.clock.nowMs() / 1_000);
      const [minute, day] = [60, 86_400];
      const timeOf = (secondsAgo: number) => new Date((now - secondsAgo) * 1_000).toISOString();
      const ofProvider = (
        isClickThrough: boolean | null,
        secondsAgo: number | null,
        ad: object = META_AD,
      ) => ({
        installReferrer: JSON.stringify({ utm_content: { source: metaBlockOf(ad) } }),
        ...{ isClickThrough, actualTimestampSeconds: secondsAgo === null ? null : now - secondsAgo },
      });
      const ofPlay = (installReferrer: string, secondsAgo: number) => ({
        ...{ installReferrer, referrerClickTimestampServerSeconds: now - secondsAgo },
      });
      let ads = 0;
      const google = () => `gclid=${GCLID}${ads++}`;
      const metaOf = (fields: object) => ({ ...META_CLAIM, ...fields });
      const other = { campaign_group_id: '1' };
      const seen = { claimType: 'Impression', clickedAt: null };
      const cases: [object, string, object | string | null][] = [
        [{ metaReferrer: ofProvider(true, day) }, 'meta attributed', metaOf({ clickedAt: timeOf(day) })],
        [{ metaReferrer: ofProvider(false, day - minute) }, 'meta attributed', metaOf(seen)],
        [{ metaReferrer: ofProvider(true, 28 * day - minute) }, 'meta attributed', 'meta'],
        [{ metaReferrer: ofProvider(true, null) }, 'meta attributed', META_CLAIM],
        ...[28 * day + minute, 40 * day, 4_000 * day].map(
          (ago) => [{ metaReferrer: ofProvider(true, ago) }, 'meta too_old', null] as [object, string, null],
        ),
        [{ metaReferrer: ofProvider(false, day + minute) }, 'meta too_old', null],
        [
          { metaReferrer: ofProvider(null, day) },
          'meta attributed',
          metaOf({ claimType: null, clickedAt: timeOf(day) }),
        ],
        [
          { metaReferrer: ofProvider(true, 27 * day), ...ofPlay(google(), minute) },
          'google_ads attributed,meta outranked',
          'google_ads',
        ],
        [
          { metaReferrer: ofProvider(true, minute), ...ofPlay(google(), day) },
          'google_ads outranked,meta attributed',
          'meta',
        ],
        [
          { metaReferrer: ofProvider(true, minute), installReferrer: google() },
          'google_ads attributed,meta outranked',
          'google_ads',
        ],
        [
          { metaReferrer: ofProvider(null, minute), ...ofPlay(google(), day) },
          'google_ads attributed,meta outranked',
          'google_ads',
        ],
        [
          { metaReferrer: ofProvider(true, 40 * day), ...ofPlay(google(), day) },
          'google_ads attributed,meta too_old',
          'google_ads',
        ],
        [
          { metaReferrer: ofProvider(true, 27 * day, other), ...ofPlay(REFERRER, day) },
          'meta attributed,meta outranked',
          metaOf({ clickedAt: timeOf(day) }),
        ],
        [
          ofPlay(`${metaReferrerOf(metaBlockOf(META_AD))}&${google()}`, day),
          'meta attributed,google_ads outranked',
          metaOf({ clickedAt: timeOf(day) }),
        ],
        [
          { metaReferrer: ofProvider(false, minute), ...ofPlay(google(), day) },
          'google_ads attributed,meta outranked',
          'google_ads',
        ],
      ];
      for (const [body, outcomes, expected] of cases) {
        const { network, outcomes: found } = await said(app, body);
        assert.equal(found, outcomes, JSON.stringify(body));
        assert.deepEqual(typeof expected === 'string' ? network?.name : network, expected);
      }
    });

    it('a block and a click ID count for one install, also at once, and a retry for its own; the trace of the others says that it was used', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY });
      const block = metaBlockOf(META_AD);
      const again = { data: block.data.toUpperCase(), nonce: block.nonce.toUpperCase() };
      const ofProvider = { installReferrer: JSON.stringify({ source: again }), isClickThrough: true };
      const replays: [string, object[]][] = [
        ['meta', [{ installReferrer: metaReferrerOf(block) }, { metaReferrer: ofProvider }]],
        ['google_ads', [{ installReferrer: 'gclid=a&gbraid=b' }, { installReferrer: 'gbraid=b&gclid=a' }]],
        ['google_ads', [{ installReferrer: 'wbraid=w' }, { installReferrer: 'utm_source=x&wbraid=w' }]],
      ];
      for (const [name, bodies] of replays) {
        const sent = [...bodies, ...bodies].map((body) => ({ ...body, installId: randomUUID() }));
        const apart = bodies.map((body) => ({ ...body, debugBuild: true, installId: randomUUID() }));
        await Promise.all([...sent, ...sent, ...apart].map((body) => install(app, body)));
        for (const some of [sent, apart]) {
          const installs = await Promise.all(some.map(({ installId }) => read(app, installId)));
          const [first, ...others] = installs.toSorted((a, b) => Number(!a.network) - Number(!b.network));
          assert.equal(first.network.name, name);
          assert.ok(
            first.explanation.network.every(({ outcome }: { outcome: string }) => outcome === 'attributed'),
          );
          for (const { network, explanation } of others) {
            assert.deepEqual([network, explanation.network[0].outcome], [null, 'used']);
            assert.match(explanation.network[0].reason, /was used by another install, and counts for one/);
          }
        }
      }
      const { body } = await world.call('GET', '/v1/stats?groupBy=network', { key: app.keys.live });
      assert.equal(body.totals.networkInstalls, replays.length);
      const { db } = world.service;
      const kept = await db
        .selectFrom('installs')
        .select('google_click_ids')
        .where('app_id', '=', app.id)
        .where('google_click_ids', 'is not', null)
        .execute();
      assert.equal(kept.length, 2, 'a used click ID is not forwarded');
      const dryRun = await world.call('POST', '/v1/debug/attribution?explain=true', {
        ...{ from: freshAddress(), body: { apiKey: app.keys.live, fingerprint, installReferrer: 'gclid=a' } },
      });
      assert.deepEqual([dryRun.body.network, dryRun.body.explanation.network[0].outcome], [null, 'used']);
      for (const installReferrer of ['gclid=a', 'gbraid=b&gclid=c'])
        assert.equal((await said(app, { installReferrer })).outcomes, 'google_ads used');
      const other = await world.newApp();
      assert.equal((await said(other, { installReferrer: 'gclid=a' })).outcomes, 'google_ads attributed');
    });

    it('a click of a link keeps its method, its campaign and its answer beside the network', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY });
      const play = 'https://play.google.com/store/apps/details?id=com.example';
      const { shortCode } = await world.newLink(app, { androidDestination: play, campaignId: 'spring' });
      const clickId = await world.clickId(shortCode, { from: freshAddress() });
      const { installId, method, campaignId } = await install(app, {
        installReferrer: `${REFERRER}&svc_click_id=${clickId}`,
      });
      const found = await read(app, installId);
      assert.deepEqual(
        [method, campaignId, found.method, found.campaignId, found.network.campaignId],
        ['INSTALL_REFERRER', 'spring', 'INSTALL_REFERRER', 'spring', META_CLAIM.campaignId],
      );
    });

    it('utm values of Play’s referrer are those of an install without a click, in lists, statistics and exports', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY });
      const play = 'https://play.google.com/store/apps/details?id=com.example&referrer=utm_source%3Dlink';
      const { shortCode } = await world.newLink(app, { androidDestination: play });
      const clickId = await world.clickId(`${shortCode}?utm_source=poster`, { from: freshAddress() });
      const mail = 'utm_source=mail&utm_campaign=spring';
      const { installId } = await install(app, { installReferrer: mail });
      await install(app, { installReferrer: `${mail}&svc_click_id=${clickId}` });
      await install(app, { installReferrer: `${mail}&svc_click_id=${clickId}` });
      await install(app, { installReferrer: mail, existingUser: true });
      await install(app, { installReferrer: 'utm_source=google-play&utm_medium=organic' });
      const list = await world.call('GET', '/v1/installs?utmSource=mail', { key: app.keys.live });
      assert.deepEqual(
        list.body.map(({ id }: { id: string }) => id),
        [installId],
      );
      const stats = await world.call('GET', '/v1/stats?groupBy=utmSource', { key: app.keys.live });
      const installsOf = (value: string) =>
        stats.body.groups.find(({ key }: { key: string }) => key === value)?.installs;
      assert.deepEqual(
        [installsOf('mail'), installsOf('poster'), installsOf('google-play')],
        [1, 1, undefined],
      );
    });

    it('an existing user and an iPhone have no network by a referrer; a dry run says what an install would get', async () => {
      const app = await world.newApp({ metaReferrerKey: META_KEY, appleAds: true });
      const both = `${REFERRER}&gclid=${GCLID}`;
      for (const [body, outcomes] of [
        [{ existingUser: true }, 'meta existing_user,google_ads existing_user'],
        [{ fingerprint: { platform: 'IOS' } }, ''],
      ] as const) {
        const found = await said(app, { installReferrer: both, ...body });
        assert.deepEqual([found.network, found.outcomes], [null, outcomes]);
      }
      const dryRun = async (body: object) =>
        (
          await world.call('POST', '/v1/debug/attribution?explain=true', {
            ...{ from: freshAddress(), body: { apiKey: app.keys.live, fingerprint, ...body } },
          })
        ).body;
      const meta = await dryRun({ installReferrer: REFERRER });
      assert.deepEqual([meta.network, meta.explanation.network[0].outcome], [META_CLAIM, 'attributed']);
      const ios = await dryRun({ fingerprint: { platform: 'IOS' }, appleAdsToken: 'token' });
      assert.deepEqual([ios.network, ios.explanation.network[0].outcome], [null, 'not_asked']);
      const full = { installReferrer: 'x'.repeat(16_384), clickId: 'x'.repeat(4_096) };
      const { method } = await dryRun({
        ...{ ...full, appleAdsToken: 'x'.repeat(4_096) },
        metaReferrer: { installReferrer: 'x'.repeat(8_192) },
      });
      assert.equal(method, 'ORGANIC');
    });
  });
