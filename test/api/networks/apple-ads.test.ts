/** Tokens of Apple Ads, exchanged in the background by the delivery engine. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { createLog } from '../../../src/lib/log.ts';
import { formAll } from '../../../src/webhooks/destinations/form-batches.ts';
import { batchesOf, forwarded, newSegment, useStandInSegment } from '../../helpers/destinations.ts';
import { engines } from '../../helpers/engines.ts';
import { storedRows } from '../../helpers/refusal.ts';
import {
  APPLE_CLAIM,
  APPLE_RECORD,
  DEVELOPER_RECORD,
  StandInAppleAds,
} from '../../helpers/stand-in-apple-ads.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook, passAttempts } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const apple = await new StandInAppleAds().open();
after(() => apple.close());

for (const engine of engines)
  describe(`Apple Ads on ${engine}`, () => {
    const receiver = useReceiver();
    const segment = useStandInSegment();
    const lines: string[] = [];
    const log = createLog('info', { to: { write: (line: string) => void lines.push(line) } });
    const world = useWorld(engine, { ...RECEIVER_ENV, APPLE_ADS_URL: apple.url }, { log });
    const newApp = () => world.newApp({ appleAds: true });
    const install = async (app: TestApp, body: object, key = app.keys.live_publishable) =>
      (await world.install(app, { ...body }, { key, from: freshAddress() })).body;
    const read = async (app: TestApp, installId: string) =>
      (await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live })).body;
    /** Until nothing waits for Apple. */
    const passed = (app: TestApp) => passAttempts(world, [app.id]);
    const outcomeOf = async (app: TestApp, installId: string) => {
      const { network, explanation } = await read(app, installId);
      return [network?.name ?? null, explanation.network[0]?.outcome ?? null];
    };

    it('the answer to the app does not wait for Apple, whose record then stands beside the method, and is told to webhooks once', async () => {
      const app = await newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['install.network_attributed'] });
      const { promise, resolve } = Promise.withResolvers<object>();
      const token = apple.token(() => promise);
      const installId = randomUUID();
      const body = { installId, appleAdsToken: token };
      const answer = await install(app, body);
      const { installId: _, ...plain } = await install(app, {});
      assert.deepEqual(answer, { ...plain, installId }, 'the answer of any other install');
      assert.deepEqual(await outcomeOf(app, installId), [null, 'waiting']);
      await apple.asked(token);
      assert.deepEqual(await install(app, body), answer, 'of a retry');

      resolve(APPLE_RECORD);
      const { event, data } = await hook.envelope();
      assert.deepEqual(
        [event, Object.keys(data)],
        ['install.network_attributed', ['installId', 'platform', 'appName', ...Object.keys(APPLE_CLAIM)]],
      );
      assert.deepEqual(data, { installId, platform: 'IOS', appName: 'Test app', ...APPLE_CLAIM });
      const { network, method, reason, explanation } = await read(app, installId);
      assert.deepEqual(network, APPLE_CLAIM);
      assert.equal(method, 'ORGANIC');
      assert.ok(!reason.includes('Apple'), reason);
      assert.deepEqual(explanation.network, [
        {
          ...{ name: 'apple_ads', outcome: 'attributed' },
          reason: 'Apple says that an ad of Apple Ads led to the install.',
        },
      ]);
      await passed(app);
      assert.deepEqual(await install(app, body), answer, 'of a later retry');
      assert.deepEqual([apple.timesAsked(token), hook.received.length], [1, 1]);
      const stored = JSON.stringify(await storedRows(world));
      assert.ok(stored.includes(installId) && !stored.includes(token), 'the token is gone');
    });

    it('lists have the network, and filters find it', async () => {
      const app = await newApp();
      const { installId } = await install(app, { appleAdsToken: apple.token(APPLE_RECORD) });
      const other = await install(app, {});
      await passed(app);
      const list = async (query: string) => {
        const { body } = await world.call('GET', `/v1/installs?${query}`, { key: app.keys.live });
        return body.map(({ id }: { id: string }) => id);
      };
      // A live install of a tester, which statistics do not count either.
      const tester = await install(app, { appleAdsToken: apple.token(DEVELOPER_RECORD) });
      await passed(app);
      assert.deepEqual(await list('network=apple_ads&networkCampaign=542370539'), [installId]);
      assert.deepEqual(await list('network=apple_ads'), [installId]);
      assert.deepEqual(await list('networkCampaign=1234567890'), []);
      assert.deepEqual(await list('network='), [tester.installId, other.installId]);
      assert.deepEqual(await list('network=meta'), []);
      assert.deepEqual(await list('networkCampaign=1'), []);
      const csv = await world.call('GET', '/v1/installs?network=apple_ads', {
        ...{ key: app.keys.live, headers: { accept: 'text/csv' } },
      });
      const stats = await world.call('GET', '/v1/stats?groupBy=network', { key: app.keys.live });
      assert.deepEqual(
        [stats.body.totals.networkInstalls, stats.body.totals.installs, stats.body.totals.attributedInstalls],
        [1, 3, 0],
      );
      const [header = '', row = ''] = csv.text.split('\n');
      assert.ok(header.includes(',networkName,networkCampaignId,'), header);
      assert.ok(row.includes(',apple_ads,542370539,,542317095,'), row);
    });

    it('a destination gets an install with what Apple says of it, and none of a tester’s', async () => {
      const app = await newApp();
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source);
      const { promise, resolve } = Promise.withResolvers<object>();
      const token = apple.token(() => promise);
      const installId = randomUUID();
      await install(app, { installId, appleAdsToken: token });
      await apple.asked(token);
      await formAll(world.service);
      const [first] = await batchesOf(world, app, id, 1);
      assert.match(first.summary, /1 waiting/);
      resolve(APPLE_RECORD);
      await passed(app);
      world.clock.advance(3 * SECOND_MS);
      await forwarded(world, source, 1);
      const tester = await install(app, { appleAdsToken: apple.token(DEVELOPER_RECORD) });
      await passed(app);
      await forwarded(world, source, 2);
      const networks = source.calls.flatMap(({ items }) =>
        items.map(({ messageId, properties }) => [
          messageId,
          (properties as { ad_network?: string }).ad_network,
        ]),
      );
      assert.deepEqual(networks, [
        [installId, 'apple_ads'],
        [tester.installId, undefined],
      ]);
    });

    it('what Apple says is in the trace in words, as often asked as Apple advises', async () => {
      const app = await newApp();
      const cases = [
        [{ attribution: false }, 'not_attributed', 1],
        [400, 'refused', 1],
        [404, 'not_found', 4],
        [(nth: number) => (nth < 3 ? 404 : APPLE_RECORD), 'attributed', 3],
        [(nth: number) => [500, 503, {}, 404, 404, APPLE_RECORD][nth - 1] ?? 400, 'attributed', 6],
      ] as const;
      const asked = await Promise.all(
        cases.map(async ([answer, outcome, times]) => {
          const token = apple.token(answer);
          return { token, outcome, times, ...(await install(app, { appleAdsToken: token })) };
        }),
      );
      const startMs = world.clock.nowMs();
      await passed(app);
      assert.ok(world.clock.nowMs() - startMs < HOUR_MS, 'within an hour');
      for (const { token, installId, outcome, times } of asked) {
        assert.equal((await outcomeOf(app, installId))[1], outcome);
        assert.equal(apple.timesAsked(token), times, outcome);
        assert.match((await read(app, installId)).explanation.network[0].reason, /^Apple .*\.$/);
      }
    });

    it('through an outage it is asked again for a day at most; then nothing is left of the token', async () => {
      const app = await newApp();
      const token = apple.token(500);
      const { installId } = await install(app, { appleAdsToken: token });
      const startMs = world.clock.nowMs();
      await passed(app);
      const { body: health } = await world.admin('GET', '/health');
      assert.match(
        health.problems.find(({ code }: { code: string }) => code === 'apple_ads.unreachable')?.message ?? '',
        /for \d+ minutes: Apple answered with 500\. .*APPLE_ADS_URL/,
      );
      const metrics = await world.service.metrics.metrics();
      assert.match(metrics, /throughline_apple_ads_exchanges_total\{outcome="unreachable"\} \d/);
      const passedMs = world.clock.nowMs() - startMs;
      assert.ok(passedMs > 20 * HOUR_MS && passedMs < DAY_MS, `${passedMs / HOUR_MS} hours`);
      assert.deepEqual(await outcomeOf(app, installId), [null, 'gave_up']);
      await install(app, { appleAdsToken: apple.token(APPLE_RECORD) });
      await passed(app);
      const { body: well } = await world.admin('GET', '/health');
      assert.ok(!JSON.stringify(well.problems).includes('apple_ads'), 'once Apple answers');
      const told = lines.filter((line) => line.includes('apple_ads.unreachable'));
      assert.match(told[0] ?? '', /Apple does not answer/);
      assert.ok(told.length < 20, `${told.length} lines`);
      assert.ok(!JSON.stringify(await storedRows(world)).includes(token));
    });

    it('records of developers are marked as a test, and those with consent to tracking have the time of the tap', async () => {
      const app = await newApp();
      const made = await install(app, { appleAdsToken: apple.token(DEVELOPER_RECORD) }, app.keys.test);
      const tapped = { ...APPLE_RECORD, clickDate: '2026-11-08T17:17Z', keywordId: undefined };
      const { installId } = await install(app, {
        ...{ appleAdsToken: apple.token(tapped), deterministicOnly: true },
      });
      await passed(app);
      const { network, sandbox } = await read(app, made.installId);
      assert.deepEqual([network.test, network.campaignId, sandbox], [true, '1234567890', true]);
      assert.deepEqual((await read(app, installId)).network, {
        ...APPLE_CLAIM,
        ...{ clickedAt: '2026-11-08T17:17:00.000Z', keywordId: null },
      });
    });

    it('no token is kept without the setting, and one that waits is dropped once the setting is off', async () => {
      const off = await world.newApp();
      const token = apple.token(APPLE_RECORD);
      const { installId } = await install(off, { appleAdsToken: token });
      assert.deepEqual(await outcomeOf(off, installId), [null, 'switched_off']);
      const app = await newApp();
      const waiting = apple.token(500);
      const made = await install(app, { appleAdsToken: waiting });
      await apple.asked(waiting);
      await waitFor('the first result', async () => {
        const due = await world.service.db.selectFrom('webhook_queue').select('status').execute();
        return due.every(({ status }) => status === 0) || undefined;
      });
      await world.admin('PATCH', `/apps/${app.id}`, { appleAds: false });
      await passed(app);
      assert.deepEqual(await outcomeOf(app, made.installId), [null, 'stopped']);
      assert.deepEqual([apple.timesAsked(token), apple.timesAsked(waiting)], [0, 1]);
      const stored = JSON.stringify(await storedRows(world));
      for (const gone of [token, waiting]) assert.ok(!stored.includes(gone));
    });

    it('an existing user and an Android phone have no token to exchange', async () => {
      const app = await newApp();
      const token = apple.token(APPLE_RECORD);
      const android = { platform: 'ANDROID' };
      for (const [body, outcome] of [
        [{ existingUser: true }, 'existing_user'],
        [{ fingerprint: android }, null],
      ] as const) {
        const { installId } = await install(app, { ...body, appleAdsToken: token });
        assert.deepEqual(await outcomeOf(app, installId), [null, outcome]);
      }
      await passed(app);
      assert.equal(apple.timesAsked(token), 0);
    });

    it('installs of a batch are exchanged each once', async () => {
      const app = await newApp();
      const tokens = [1, 2, 3].map(() => apple.token(APPLE_RECORD));
      const installs = tokens.map((appleAdsToken) => ({
        ...{ installId: randomUUID(), fingerprint: { platform: 'IOS' }, appleAdsToken },
      }));
      const call = { key: app.keys.live, body: { installs: [...installs, ...installs] } };
      const { body } = await world.call('POST', '/v1/sdk/installs', call);
      assert.ok(body.results.every(({ status }: { status: number }) => status === 200));
      await passed(app);
      for (const token of tokens) assert.equal(apple.timesAsked(token), 1);
      for (const { installId } of installs)
        assert.deepEqual(await outcomeOf(app, installId), ['apple_ads', 'attributed']);
    });

    it('a token counts for one install, however it is written, and is exchanged once', async () => {
      const app = await newApp();
      const token = apple.token(APPLE_RECORD);
      const spellings = [token, token, ` ${token}\n`, token.replaceAll('+', '-').replaceAll('/', '_')];
      const sent = spellings.map((appleAdsToken) => ({ installId: randomUUID(), appleAdsToken }));
      const [first, ...others] = sent;
      assert.ok(first);
      await install(app, first);
      await Promise.all([...sent, ...sent].map((body) => install(app, body)));
      await passed(app);
      assert.deepEqual(await outcomeOf(app, first.installId), ['apple_ads', 'attributed']);
      for (const { installId } of others) assert.deepEqual(await outcomeOf(app, installId), [null, 'used']);
      assert.equal(apple.timesAsked(token), 1);
      const { body } = await world.call('GET', '/v1/stats', { key: app.keys.live });
      assert.equal(body.totals.networkInstalls, 1);
    });

    it('an export of a person has the tokens that wait, as they are stored, and none that Apple answered', async () => {
      const app = await newApp();
      const { promise, resolve } = Promise.withResolvers<object>();
      const [hers, his] = [apple.token(() => promise), apple.token(() => promise)];
      const { installId } = await install(app, { appleAdsToken: hers });
      const other = await install(app, { appleAdsToken: his });
      for (const body of [
        { installId, userId: 'ada' },
        { installId: other.installId, userId: 'bob' },
      ])
        await world.call('POST', '/v1/sdk/identify', { key: app.keys.live, body });
      const exported = async (userId: string) => {
        const call = { key: app.keys.live, body: { userId } };
        return (await world.call('POST', '/v1/privacy/export', call)).body;
      };
      const { installs, waitingAppleAdsTokens } = await exported('ada');
      const [{ id, receivedAt, ...waiting }, ...others] = waitingAppleAdsTokens;
      assert.deepEqual([waiting, others.length], [{ installId, token: hers, sandbox: false }, 0]);
      assert.match(`${id} ${receivedAt}`, /^[0-9a-f-]{36} 20\d\d-.*Z$/);
      assert.equal((await exported('bob')).waitingAppleAdsTokens[0].token, his);
      assert.equal('waitingAppleAdsTokens' in (await exported('eve')), false);
      resolve(APPLE_RECORD);
      await passed(app);
      const later = await exported('ada');
      assert.deepEqual([later.installs.length, installs.length], [1, 1]);
      assert.equal('waitingAppleAdsTokens' in later, false);
    });

    it('nothing is written of an install that was erased or deleted before Apple answered', async () => {
      const app = await newApp();
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['install.network_attributed'] });
      const { promise, resolve } = Promise.withResolvers<object>();
      const [toErase, toDelete] = [apple.token(() => promise), apple.token(() => promise)];
      const erased = await install(app, { appleAdsToken: toErase });
      const deleted = await install(app, { appleAdsToken: toDelete });
      await Promise.all([apple.asked(toErase), apple.asked(toDelete)]);
      const identify = { installId: erased.installId, userId: 'ada' };
      await world.call('POST', '/v1/sdk/identify', { key: app.keys.live, body: identify });
      const { body } = await world.call('POST', '/v1/privacy/erase', {
        ...{ key: app.keys.live, body: { userId: 'ada' } },
      });
      const removed = await world.call('POST', '/v1/installs/deletions', {
        ...{ key: app.keys.live, body: { installIds: [deleted.installId] } },
      });
      assert.equal(removed.body.installs, 1);
      const { db } = world.service;
      await waitFor('the erasure', async () => {
        const row = await db
          .selectFrom('installs')
          .select('erased')
          .where('app_id', '=', app.id)
          .where('id', '=', erased.installId)
          .executeTakeFirst();
        return row?.erased === 1 || undefined;
      });
      resolve(APPLE_RECORD);
      await passed(app);
      await waitFor('the erasure to be complete', async () => {
        const path = `/v1/privacy/erase/${body.requestIds[0]}`;
        return (
          (await world.call('GET', path, { key: app.keys.live })).body.status === 'completed' || undefined
        );
      });
      assert.deepEqual(await outcomeOf(app, erased.installId), [null, 'erased']);
      assert.equal(hook.received.length, 0);
      const stored = JSON.stringify(await storedRows(world));
      for (const gone of [toErase, toDelete]) assert.ok(!stored.includes(gone));
    });

    it('while Apple never answers, webhooks and other apps go on', async () => {
      const [app, other] = [await newApp(), await newApp()];
      const hooks = [receiver.newHook(), receiver.newHook()] as const;
      await newWebhook(world, app, { url: hooks[0].url, events: ['install.organic'] });
      await newWebhook(world, other, { url: hooks[1].url, events: ['install.network_attributed'] });
      for (let count = 0; count < 30; count++) await install(app, { appleAdsToken: apple.token('never') });
      const startMs = Date.now();
      await install(other, { appleAdsToken: apple.token(APPLE_RECORD) });
      await Promise.all([hooks[0].arrived(30), hooks[1].arrived(1)]);
      assert.ok(Date.now() - startMs < 5 * SECOND_MS, 'long before a request to Apple times out');
      assert.equal(envelopeOf(hooks[1].received[0] as never).data.name, 'apple_ads');
      // Ends the requests that hang.
      await world.admin('PATCH', `/apps/${app.id}`, { appleAds: false });
    });
  });
