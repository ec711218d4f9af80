/**
 * The rules by which an install claims a click. Each case calls debug with `explain=true`, records the install and
 * reads it: all three must return the same decision and reasons.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { storedRows } from '../../helpers/refusal.ts';
import {
  freshAddress,
  IPHONE,
  IPHONE_FINGERPRINT,
  PIXEL,
  type TestApp,
  useWorld,
  type World,
} from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const MAX_TRACE_BYTES = 8 * 1_024;
/** Longer than the calls of one case take. */
const SLACK_MS = 20 * SECOND_MS;

interface Explanation {
  readonly method: string;
  readonly windowHours: Record<string, number>;
  readonly rejections: { method: string; clickId: string; reason: string }[];
  readonly rejected: number;
  readonly fingerprint: {
    outcome: string;
    crowd?: number;
    threshold?: number;
    considered?: number;
    candidates?: { clickId: string; comparison: object; olderThanClaimed?: true; probability: number }[];
  };
}

/** The decision on an install; each rejection is `METHOD reason`. */
interface Verdict {
  readonly method: string;
  readonly clickId: string | null;
  readonly reasons: string[];
  readonly outcome: string;
  readonly explanation: Explanation;
  readonly installId: string;
}

class Campaign {
  readonly world: World;
  readonly app: TestApp;
  readonly shortCode: string;

  private constructor(world: World, app: TestApp, shortCode: string) {
    this.world = world;
    this.app = app;
    this.shortCode = shortCode;
  }

  static async create(
    world: World,
    { app = {}, link = {} }: { app?: Record<string, unknown>; link?: Record<string, unknown> } = {},
  ): Promise<Campaign> {
    const made = await world.newApp(app);
    return new Campaign(world, made, (await world.newLink(made, { ...PLAY, ...link })).shortCode);
  }

  /** A click on a Pixel, whose ID is in the Play referrer. */
  async click(from: string = freshAddress()): Promise<string> {
    return await this.world.clickId(this.shortCode, { from });
  }

  async tap(options: Parameters<World['tap']>[1] = {}): Promise<void> {
    await this.world.tap(this.shortCode, options);
  }

  async install(body: Record<string, unknown>, ipAddress: string | null = freshAddress()): Promise<Verdict> {
    const { world, app } = this;
    const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress, ...(body.fingerprint as object | undefined) };
    const call = { ...body, fingerprint };
    const asked = await world.call('POST', '/v1/debug/attribution?explain=true', {
      from: freshAddress(),
      body: { ...call, apiKey: app.keys.live },
    });
    assert.equal(asked.status, 200, asked.text);
    const made = await world.install(app, call, { key: app.keys.live, from: freshAddress() });
    assert.equal(made.status, 200, made.text);
    const { method, clickId, installId } = made.body;
    const read = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
    assert.deepEqual([asked.body.method, asked.body.clickId], [method, clickId]);
    assert.deepEqual([read.body.method, read.body.clickId], [method, clickId]);
    assert.equal(read.body.confidence, made.body.confidence);
    const explanation = read.body.explanation as Explanation;
    assert.deepEqual(withoutNumbers(asked.body.explanation), withoutNumbers(explanation));
    const reasons = explanation.rejections.map((one) => `${one.method} ${one.reason}`);
    return { method, clickId, installId, reasons, outcome: explanation.fingerprint.outcome, explanation };
  }
}

/** The age and the learned weights may change between the dry run and the install. */
function withoutNumbers(explanation: object): unknown {
  const numbers = /"(ageSeconds|probability|model|screen|osVersion|language|timezone)":-?[\d.e-]+/g;
  return JSON.parse(JSON.stringify(explanation).replaceAll(numbers, '"$1":0'));
}

const seconds = (ms: number) => Math.floor(ms / SECOND_MS);

for (const engine of engines)
  describe(`the rules of attribution on ${engine}`, () => {
    const world = useWorld(engine);

    it('a named click can be claimed until the end of its window and is outside_window after it', async () => {
      const campaign = await Campaign.create(world, {
        app: { referrerWindowHours: 3, clickIdWindowHours: 2, fingerprintWindowHours: 1 },
      });
      const clicks = await Promise.all([
        campaign.click(),
        campaign.click(),
        campaign.click(),
        campaign.click(),
      ]);
      const [a = '', b = '', c = '', d = ''] = clicks;
      world.clock.advance(2 * HOUR_MS - SLACK_MS);
      assert.equal((await campaign.install({ clickId: a })).method, 'CLICK_ID');
      world.clock.advance(SLACK_MS);
      const late = await campaign.install({ clickId: b });
      assert.deepEqual([late.method, late.reasons], ['ORGANIC', ['CLICK_ID outside_window']]);
      assert.deepEqual(late.explanation.windowHours, { referrer: 3, clickId: 2, fingerprint: 1 });
      world.clock.advance(HOUR_MS - SLACK_MS);
      assert.equal(
        (await campaign.install({ installReferrer: `svc_click_id=${c}` })).method,
        'INSTALL_REFERRER',
      );
      world.clock.advance(SLACK_MS);
      const later = await campaign.install({ installReferrer: `svc_click_id=${d}`, clickId: d });
      assert.deepEqual(later.reasons, ['INSTALL_REFERRER outside_window', 'CLICK_ID outside_window']);
    });

    it('the fingerprint does not consider clicks older than its window', async () => {
      const campaign = await Campaign.create(world, { app: { fingerprintWindowHours: 1 } });
      const [before, after] = [freshAddress(), freshAddress()];
      await campaign.tap({ from: before });
      world.clock.advance(HOUR_MS - SLACK_MS);
      assert.equal((await campaign.install({}, before)).explanation.fingerprint.considered, 1);
      await campaign.tap({ from: after });
      world.clock.advance(HOUR_MS + SECOND_MS);
      const late = await campaign.install({}, after);
      assert.deepEqual([late.method, late.reasons, late.outcome], ['ORGANIC', [], 'no_candidates']);
    });

    it('the referrer has precedence over the click ID, and the click ID over the fingerprint', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({ from });
      const [inReferrer, explicit] = [await campaign.click(), await campaign.click()];
      const names = { installReferrer: `svc_click_id=${inReferrer}`, clickId: explicit };
      const first = await campaign.install(names, from);
      assert.deepEqual([first.method, first.clickId], ['INSTALL_REFERRER', inReferrer]);
      assert.deepEqual([first.reasons, first.outcome], [[], 'not_needed']);
      const second = await campaign.install(names, from);
      assert.deepEqual([second.method, second.clickId], ['CLICK_ID', explicit]);
      assert.deepEqual(second.reasons, ['INSTALL_REFERRER already_claimed']);
      const third = await campaign.install(names, from);
      assert.deepEqual([third.method, third.outcome], ['FINGERPRINT', 'matched']);
      assert.deepEqual(third.reasons, ['INSTALL_REFERRER already_claimed', 'CLICK_ID already_claimed']);
      const fourth = await campaign.install({}, from);
      assert.deepEqual([fourth.method, fourth.reasons], ['ORGANIC', ['FINGERPRINT already_claimed']]);
    });

    it('a sandbox click is rejected as sandbox for a live build and claimed by a debug build', async () => {
      const campaign = await Campaign.create(world, { link: { sandbox: true } });
      const [clickId, from] = [await campaign.click(), freshAddress()];
      await campaign.tap({ from });
      const live = await campaign.install({ clickId }, from);
      assert.deepEqual([live.method, live.reasons], ['ORGANIC', ['CLICK_ID sandbox', 'FINGERPRINT sandbox']]);
      assert.equal((await campaign.install({ clickId, debugBuild: true })).method, 'CLICK_ID');
      assert.equal((await campaign.install({ debugBuild: true }, from)).method, 'FINGERPRINT');
    });

    it('a click of another app is unknown, like a missing one, and no candidate for the fingerprint', async () => {
      const [campaign, other] = [await Campaign.create(world), await Campaign.create(world)];
      const from = freshAddress();
      const foreign = await other.click(from);
      await other.tap({ from });
      for (const clickId of [foreign, randomUUID()]) {
        const verdict = await campaign.install({ clickId, installReferrer: `svc_click_id=${clickId}` }, from);
        assert.deepEqual(verdict.reasons, ['INSTALL_REFERRER unknown', 'CLICK_ID unknown']);
        assert.deepEqual([verdict.method, verdict.outcome], ['ORGANIC', 'no_candidates']);
        assert.equal(verdict.explanation.fingerprint.crowd, 0);
      }
      assert.equal((await other.install({ clickId: foreign })).method, 'CLICK_ID');
    });

    it('hits of crawlers, previews, prefetches, embedding pages and HEAD are no candidates and no crowd; by click ID each is claimed', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({
        from,
        userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      });
      await campaign.tap({ from, userAgent: 'WhatsApp/2.23.20.0' });
      await campaign.tap({ from, headers: { 'sec-purpose': 'prefetch;prerender' } });
      await campaign.tap({ from, headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' } });
      await campaign.tap({ from, method: 'HEAD' });
      await world.service.clickLog.applied();
      const { db } = world.service;
      const hits = await db.selectFrom('clicks').select('id').where('app_id', '=', campaign.app.id).execute();
      assert.equal(hits.length, 5);
      const unnamed = await campaign.install({}, from);
      assert.deepEqual([unnamed.method, unnamed.outcome], ['ORGANIC', 'no_candidates']);
      assert.equal(unnamed.explanation.fingerprint.crowd, 0);
      for (const { id } of hits)
        assert.equal((await campaign.install({ installReferrer: `svc_click_id=${id}` })).clickId, id);
    });

    it('a click after Play began to install is after_install_began; the server’s time has precedence over the device’s', async () => {
      const campaign = await Campaign.create(world);
      const clickedAtMs = world.clock.nowMs();
      const clickId = await campaign.click();
      world.clock.advance(2 * HOUR_MS);
      const [before, after] = [seconds(clickedAtMs - HOUR_MS), seconds(clickedAtMs + HOUR_MS)];
      const future = seconds(world.clock.nowMs() + DAY_MS);
      const times = (server: number | null, device: number | null) => ({
        installBeginTimestampServerSeconds: server,
        installBeginTimestampSeconds: device,
      });
      for (const [server, device] of [
        [before, null],
        [before, after],
        [before, 0],
        [0, before],
        [null, before],
        [future, before],
      ] as const) {
        const { method, reasons } = await campaign.install({ clickId, ...times(server, device) });
        assert.deepEqual(
          [method, reasons],
          ['ORGANIC', ['CLICK_ID after_install_began']],
          `${server} ${device}`,
        );
      }
      const accepted = [
        [after, before],
        [after, null],
        [0, after],
        [0, 0],
        [null, null],
        [future, future],
        [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      ] as const;
      for (const [server, device] of accepted) {
        const again = await campaign.click();
        const { method } = await campaign.install({ clickId: again, ...timesAfter(world, server, device) });
        assert.equal(method, 'CLICK_ID', `${server} ${device}`);
      }
      assert.equal((await campaign.install({ clickId, ...times(after, before) })).method, 'CLICK_ID');

      // The new click is two hours younger than the first one.
      function timesAfter({ clock }: World, server: number | null, device: number | null) {
        const shift = seconds(clock.nowMs() - clickedAtMs);
        const later = (time: number | null) => (time === after || time === before ? time + shift : time);
        const shifted = times(later(server), later(device));
        world.clock.advance(2 * HOUR_MS);
        return shifted;
      }
    });

    it('after_install_began applies to the referrer and the fingerprint, too', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      const clickId = await campaign.click();
      await campaign.tap({ from });
      const began = { installBeginTimestampServerSeconds: seconds(world.clock.nowMs() - HOUR_MS) };
      const { method, reasons } = await campaign.install(
        { installReferrer: `svc_click_id=${clickId}`, ...began },
        from,
      );
      assert.equal(method, 'ORGANIC');
      assert.deepEqual(reasons, ['INSTALL_REFERRER after_install_began', 'FINGERPRINT after_install_began']);
      assert.equal((await campaign.install({}, from)).method, 'FINGERPRINT');
    });

    it('a /64 is one address, the next one is another, and IPv4 within IPv6 is IPv4', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({ from: '2001:db8:5:6::1' });
      await campaign.tap({ from });
      assert.equal((await campaign.install({}, '2001:db8:5:7::1')).outcome, 'no_candidates');
      assert.equal((await campaign.install({}, '2001:DB8:5:6:ffff:1:2:3')).method, 'FINGERPRINT');
      assert.equal((await campaign.install({}, `::ffff:${from}`)).method, 'FINGERPRINT');
    });

    it('an install over IPv4 does not match a click over IPv6, and the click stays available', async () => {
      const campaign = await Campaign.create(world);
      await campaign.tap({ from: '2001:db8:7:8::1' });
      const { method, reasons, outcome } = await campaign.install({});
      assert.deepEqual([method, reasons, outcome], ['ORGANIC', [], 'no_candidates']);
      assert.equal((await campaign.install({}, '2001:db8:7:8::2')).method, 'FINGERPRINT');
    });

    it('a vetoed click is a rejection with its reason, listed as a candidate, and still claimed by its own device', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({ from });
      const chrome = IPHONE.replace(/Version\/\S+/, 'CriOS/140.0.7339.122').replace('17_5_1', '16_1');
      await campaign.tap({ from, userAgent: chrome, headers: { 'accept-language': 'fr-FR' } });
      const vetoed = async (fingerprint: object) => {
        const { method, reasons, explanation } = await campaign.install({ fingerprint }, from);
        assert.equal(method, 'ORGANIC');
        const { candidates = [], considered } = explanation.fingerprint;
        assert.deepEqual([considered, candidates.length], [2, 2]);
        for (const { probability } of candidates) assert.equal(probability, 0);
        assert.deepEqual(
          candidates.map(({ clickId }) => clickId).sort(),
          explanation.rejections.map(({ clickId }) => clickId).sort(),
        );
        return reasons.sort();
      };
      const veto = (reason: string) => `FINGERPRINT ${reason}`;
      assert.deepEqual(await vetoed({ deviceModel: 'iPad13,4' }), [veto('other_model'), veto('other_model')]);
      assert.deepEqual(await vetoed({ osVersion: '15.2', locale: 'fr_FR' }), [
        veto('older_system'),
        veto('older_system'),
      ]);
      assert.deepEqual(await vetoed({ osVersion: '17.1', locale: 'ja_JP' }), [
        veto('contradicts'),
        veto('older_system'),
      ]);
      assert.equal((await campaign.install({}, from)).method, 'FINGERPRINT');
    });

    it('a click of another device model is not claimed even if version and language agree', async () => {
      const campaign = await Campaign.create(world);
      const webview = PIXEL.replace('Android 10; K', 'Android 16; Pixel 7 Build/BP2A; wv');
      const phones = [
        [IPHONE, { ...IPHONE_FINGERPRINT, deviceModel: 'iPad13,4' }],
        [webview, { platform: 'ANDROID', osVersion: '16', deviceModel: 'SM-S911B', locale: 'en_US' }],
      ] as const;
      for (const [userAgent, fingerprint] of phones) {
        const from = freshAddress();
        await campaign.tap({ from, userAgent });
        assert.equal((await world.install(campaign.app, { fingerprint }, { from })).body.method, 'ORGANIC');
      }
    });

    it('an identical device gets already_claimed for a claimed click, and the probability of its own click', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      const userAgents = [
        IPHONE,
        IPHONE,
        ...['16_1', '16_2', '16_3'].map((one) => IPHONE.replace('17_5_1', one)),
      ];
      for (const userAgent of userAgents) {
        world.clock.advance(SECOND_MS);
        await campaign.tap({ from, userAgent });
      }
      assert.equal((await campaign.install({}, from)).method, 'FINGERPRINT');
      const { reasons, explanation } = await campaign.install({}, from);
      assert.deepEqual(reasons, ['FINGERPRINT already_claimed']);
      const [twin] = explanation.fingerprint.candidates ?? [];
      assert.equal(twin?.olderThanClaimed, true);
      assert.ok((twin?.probability ?? 0) > 0);
    });

    it('a click of the other platform is rejected as other_platform and counts in the crowd', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({ from, userAgent: PIXEL });
      const { reasons, outcome, explanation } = await campaign.install({}, from);
      assert.deepEqual([reasons, outcome], [['FINGERPRINT other_platform'], 'no_candidates']);
      assert.ok((explanation.fingerprint.crowd ?? 0) > 0);
    });

    it('every other reason for an organic install has its own outcome', async () => {
      const off = await Campaign.create(world, { app: { fingerprintIos: false } });
      const from = freshAddress();
      await off.tap({ from });
      assert.deepEqual((await off.install({}, from)).explanation.fingerprint, { outcome: 'disabled' });

      const campaign = await Campaign.create(world);
      assert.deepEqual((await campaign.install({}, null)).explanation.fingerprint, { outcome: 'no_address' });
      await campaign.tap({ from });
      assert.equal(
        (await campaign.install({ fingerprint: { osVersion: null, deviceModel: null, locale: null } }, from))
          .outcome,
        'nothing_agrees',
      );
      const older = { osVersion: '16.1' };
      assert.equal((await campaign.install({ fingerprint: older }, from)).outcome, 'below_threshold');
      await campaign.tap({ from, headers: { 'accept-language': 'fr-FR' } });
      const ambiguous = await campaign.install({ fingerprint: { locale: null } }, from);
      assert.deepEqual([ambiguous.outcome, ambiguous.method], ['ambiguous', 'ORGANIC']);
    });

    it('the app’s own threshold decides the match, in its trace too', async () => {
      const probabilityAt = async (fingerprintThreshold: number, afterMs: number) => {
        const campaign = await Campaign.create(world, { app: { fingerprintThreshold } });
        const from = freshAddress();
        await campaign.tap({ from });
        world.clock.advance(afterMs);
        const { outcome, installId, explanation } = await campaign.install({}, from);
        const { reason } = (
          await world.call('GET', `/v1/installs/${installId}`, { key: campaign.app.keys.live })
        ).body;
        assert.equal(explanation.fingerprint.threshold, fingerprintThreshold);
        return { outcome, reason, probability: explanation.fingerprint.candidates?.[0]?.probability ?? 0 };
      };
      const late = await probabilityAt(0.7, 3 * HOUR_MS);
      assert.ok(late.probability > 0.5 && late.probability < 0.7, `${late.probability}`);
      assert.equal(late.outcome, 'below_threshold');
      assert.match(late.reason, /where 0\.7 is needed/);
      assert.equal((await probabilityAt(0.5, 3 * HOUR_MS)).outcome, 'matched');
      const quick = await probabilityAt(0.99, 20 * MINUTE_MS);
      assert.ok(quick.probability > 0.7, `${quick.probability}`);
      assert.equal(quick.outcome, 'below_threshold');
      assert.match(quick.reason, /where 0\.99 is needed/);
    });

    it('an open before its install leaves the click available to the install', async () => {
      const campaign = await Campaign.create(world);
      const [clickId, installId] = [await campaign.click(), randomUUID()];
      const { live } = campaign.app.keys;
      const open = { fingerprint: IPHONE_FINGERPRINT, clickId, installId };
      const opened = await world.call('POST', '/v1/sdk/open', { key: live, body: open });
      assert.deepEqual([opened.body.method, opened.body.installId], ['CLICK_ID', null]);
      const made = await campaign.install({ clickId });
      assert.deepEqual([made.method, made.reasons], ['CLICK_ID', []]);
      const again = await campaign.install({ clickId });
      assert.deepEqual(again.reasons, ['CLICK_ID already_claimed']);
    });

    it('an event gets 404 before its install and is accepted after it, also with an earlier time', async () => {
      const campaign = await Campaign.create(world);
      const [clickId, installId, eventId] = [await campaign.click(), randomUUID(), randomUUID()];
      const event = { installId, eventId, eventName: 'level', occurredAt: '2026-01-01T00:00:00.000Z' };
      const send = () => world.call('POST', '/v1/sdk/event', { key: campaign.app.keys.live, body: event });
      assert.equal((await send()).status, 404);
      assert.equal((await campaign.install({ clickId: randomUUID() })).method, 'ORGANIC');
      assert.equal((await world.install(campaign.app, { clickId, installId })).body.method, 'CLICK_ID');
      assert.deepEqual((await send()).body, { eventId });
    });

    it('a dry run stores no row and claims no click', async () => {
      const campaign = await Campaign.create(world);
      const [clickId, from] = [await campaign.click(), freshAddress()];
      await campaign.tap({ from });
      const before = await storedRows(world);
      const ask = async (body: Record<string, unknown>, query: string) => {
        const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: from };
        const call = { body: { apiKey: campaign.app.keys.live, fingerprint, ...body }, from: freshAddress() };
        return (await world.call('POST', `/v1/debug/attribution${query}`, call)).body;
      };
      const names = {
        INSTALL_REFERRER: { installReferrer: `svc_click_id=${clickId}` },
        CLICK_ID: { clickId },
      };
      for (const query of ['?explain=true', '?explain=false', ''])
        for (const [method, body] of Object.entries({ ...names, FINGERPRINT: {} })) {
          const answer = await ask(body, query);
          assert.deepEqual([answer.method, answer.attributed, answer.installId], [method, true, null]);
          assert.equal('explanation' in answer, query === '?explain=true');
        }
      assert.equal(
        (await ask({ clickId: randomUUID(), fingerprint: { platform: 'IOS' } }, '?explain=true')).method,
        'ORGANIC',
      );
      assert.deepEqual(await storedRows(world), before);
      assert.ok(Object.values(before).flat().length > 0);
      assert.equal((await campaign.install({ clickId })).method, 'CLICK_ID');
      assert.equal((await campaign.install({}, from)).method, 'FINGERPRINT');
    });

    for (const [what, userAgent, told] of [
      ['candidates', IPHONE, { considered: 300, rejected: 0 }],
      ['rejections', PIXEL, { considered: 0, rejected: 300 }],
    ] as const)
      it(`the trace of ${what} stays below 8 KB with 320 devices behind one address`, async () => {
        const campaign = await Campaign.create(world);
        const from = freshAddress();
        const devices = Array.from({ length: 320 }, (_, place) =>
          userAgent.replace(/\)$|$/, ` Build/${place}`),
        );
        await Promise.all(devices.map((device) => campaign.tap({ from, userAgent: device })));
        const name = 'x'.repeat(4_000);
        const { method, explanation, installId } = await campaign.install(
          { clickId: name, installReferrer: `svc_click_id=${name}` },
          from,
        );
        assert.equal(method, 'ORGANIC');
        assert.equal(explanation.fingerprint.considered, told.considered);
        assert.equal(explanation.rejected, told.rejected + 2);
        assert.ok((explanation.fingerprint.crowd ?? 0) >= 200);
        const { db } = world.service;
        const query = db.selectFrom('installs').select('trace').where('id', '=', installId);
        const { trace } = await query.executeTakeFirstOrThrow();
        assert.ok(Buffer.byteLength(trace) < MAX_TRACE_BYTES, `${Buffer.byteLength(trace)} bytes`);
      });

    it('a trace contains no value of a signal', async () => {
      const campaign = await Campaign.create(world);
      const from = freshAddress();
      await campaign.tap({ from });
      const { explanation } = await campaign.install({ fingerprint: { timezone: 'Europe/Zurich' } }, from);
      const text = JSON.stringify(explanation);
      for (const value of [from, '17.5', '17_5', 'iPhone', 'en-US', 'en_US', 'Zurich', 'Safari'])
        assert.ok(!text.includes(value), value);
    });
  });
