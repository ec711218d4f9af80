/**
 * Which click an install may have, rule by rule: each install is asked for first with `explain=true` and then made, and
 * the reasons must be the same there, in the record and in what was answered.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../src/platform/clock.ts';
import { engines } from './engines.ts';
import { storedRows } from './refusal.ts';
import {
  freshAddress,
  IPHONE,
  IPHONE_FINGERPRINT,
  PIXEL,
  type TestApp,
  useWorld,
  type World,
} from './world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const MAX_TRACE_BYTES = 8 * 1_024;
/** What passes while a test calls. */
const MOMENT_MS = 20 * SECOND_MS;

interface Explanation {
  readonly method: string;
  readonly windowHours: Record<string, number>;
  readonly rejections: { method: string; clickId: string; reason: string }[];
  readonly rejected: number;
  readonly fingerprint: {
    outcome: string;
    crowd?: number;
    considered?: number;
    candidates?: { clickId: string; comparison: object; olderThanClaimed?: true; probability: number }[];
  };
}

/** What an install came to: the method and each rejection as `METHOD reason`, then what the fingerprint came to. */
interface Verdict {
  readonly method: string;
  readonly clickId: string | null;
  readonly reasons: string[];
  readonly outcome: string;
  readonly explanation: Explanation;
  readonly installId: string;
}

class Story {
  readonly world: World;
  readonly app: TestApp;
  readonly shortCode: string;

  private constructor(world: World, app: TestApp, shortCode: string) {
    this.world = world;
    this.app = app;
    this.shortCode = shortCode;
  }

  static async begin(
    world: World,
    { app = {}, link = {} }: { app?: Record<string, unknown>; link?: Record<string, unknown> } = {},
  ): Promise<Story> {
    const made = await world.newApp(app);
    return new Story(world, made, (await world.newLink(made, { ...PLAY, ...link })).shortCode);
  }

  /** A click on a Pixel, as Play will name it. */
  async click(from: string = freshAddress()): Promise<string> {
    return await this.world.clickId(this.shortCode, { from });
  }

  async tap(options: Parameters<World['tap']>[1] = {}): Promise<void> {
    await this.world.tap(this.shortCode, options);
  }

  /** Asks for an explanation, makes the install, reads it back: all three must say the same. */
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

/** Between the question and the install a second may pass, and the service may have learnt something. */
function withoutNumbers(explanation: object): unknown {
  const numbers = /"(ageSeconds|probability|model|screen|osVersion|language|timezone)":-?[\d.e-]+/g;
  return JSON.parse(JSON.stringify(explanation).replaceAll(numbers, '"$1":0'));
}

const seconds = (ms: number) => Math.floor(ms / SECOND_MS);

for (const engine of engines)
  describe(`the rules of attribution on ${engine}`, () => {
    const world = useWorld(engine);

    it('a click is taken until the end of its window and named outside_window after it, for each way of naming it', async () => {
      const story = await Story.begin(world, {
        app: { referrerWindowHours: 3, clickIdWindowHours: 2, fingerprintWindowHours: 1 },
      });
      const clicks = await Promise.all([story.click(), story.click(), story.click(), story.click()]);
      const [a = '', b = '', c = '', d = ''] = clicks;
      world.clock.advance(2 * HOUR_MS - MOMENT_MS);
      assert.equal((await story.install({ clickId: a })).method, 'CLICK_ID');
      world.clock.advance(MOMENT_MS);
      const late = await story.install({ clickId: b });
      assert.deepEqual([late.method, late.reasons], ['ORGANIC', ['CLICK_ID outside_window']]);
      assert.deepEqual(late.explanation.windowHours, { referrer: 3, clickId: 2, fingerprint: 1 });
      world.clock.advance(HOUR_MS - MOMENT_MS);
      assert.equal(
        (await story.install({ installReferrer: `svc_click_id=${c}` })).method,
        'INSTALL_REFERRER',
      );
      world.clock.advance(MOMENT_MS);
      const later = await story.install({ installReferrer: `svc_click_id=${d}`, clickId: d });
      assert.deepEqual(later.reasons, ['INSTALL_REFERRER outside_window', 'CLICK_ID outside_window']);
    });

    it('behind an address no click older than the fingerprint’s window is looked at', async () => {
      const story = await Story.begin(world, { app: { fingerprintWindowHours: 1 } });
      const [before, after] = [freshAddress(), freshAddress()];
      await story.tap({ from: before });
      world.clock.advance(HOUR_MS - MOMENT_MS);
      assert.equal((await story.install({}, before)).explanation.fingerprint.considered, 1);
      await story.tap({ from: after });
      world.clock.advance(HOUR_MS + SECOND_MS);
      const late = await story.install({}, after);
      assert.deepEqual([late.method, late.reasons, late.outcome], ['ORGANIC', [], 'no_candidates']);
    });

    it('the referrer goes before the click ID, and the click ID before the fingerprint', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({ from });
      const [inReferrer, explicit] = [await story.click(), await story.click()];
      const names = { installReferrer: `svc_click_id=${inReferrer}`, clickId: explicit };
      const first = await story.install(names, from);
      assert.deepEqual([first.method, first.clickId], ['INSTALL_REFERRER', inReferrer]);
      assert.deepEqual([first.reasons, first.outcome], [[], 'not_needed']);
      const second = await story.install(names, from);
      assert.deepEqual([second.method, second.clickId], ['CLICK_ID', explicit]);
      assert.deepEqual(second.reasons, ['INSTALL_REFERRER already_claimed']);
      const third = await story.install(names, from);
      assert.deepEqual([third.method, third.outcome], ['FINGERPRINT', 'matched']);
      assert.deepEqual(third.reasons, ['INSTALL_REFERRER already_claimed', 'CLICK_ID already_claimed']);
      const fourth = await story.install({}, from);
      assert.deepEqual([fourth.method, fourth.reasons], ['ORGANIC', ['FINGERPRINT already_claimed']]);
    });

    it('a sandbox click is named sandbox to a live build, and is a debug build’s', async () => {
      const story = await Story.begin(world, { link: { sandbox: true } });
      const [clickId, from] = [await story.click(), freshAddress()];
      await story.tap({ from });
      const live = await story.install({ clickId }, from);
      assert.deepEqual([live.method, live.reasons], ['ORGANIC', ['CLICK_ID sandbox', 'FINGERPRINT sandbox']]);
      assert.equal((await story.install({ clickId, debugBuild: true })).method, 'CLICK_ID');
      assert.equal((await story.install({ debugBuild: true }, from)).method, 'FINGERPRINT');
    });

    it('another app’s click is unknown, like one that never was, and is no candidate behind its address', async () => {
      const [story, other] = [await Story.begin(world), await Story.begin(world)];
      const from = freshAddress();
      const foreign = await other.click(from);
      await other.tap({ from });
      for (const clickId of [foreign, randomUUID()]) {
        const verdict = await story.install({ clickId, installReferrer: `svc_click_id=${clickId}` }, from);
        assert.deepEqual(verdict.reasons, ['INSTALL_REFERRER unknown', 'CLICK_ID unknown']);
        assert.deepEqual([verdict.method, verdict.outcome], ['ORGANIC', 'no_candidates']);
        assert.equal(verdict.explanation.fingerprint.crowd, 0);
      }
      assert.equal((await other.install({ clickId: foreign })).method, 'CLICK_ID');
    });

    it('hits of crawlers, previews, prefetches, other pages and HEAD are not_claimable and are nobody behind their address', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({
        from,
        userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      });
      await story.tap({ from, userAgent: 'WhatsApp/2.23.20.0' });
      await story.tap({ from, headers: { 'sec-purpose': 'prefetch;prerender' } });
      await story.tap({ from, headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' } });
      await story.tap({ from, method: 'HEAD' });
      await world.service.ctx.clickLog.applied();
      const { db } = world.service.ctx;
      const hits = await db.selectFrom('clicks').select('id').where('app_id', '=', story.app.id).execute();
      assert.equal(hits.length, 5);
      for (const { id } of hits) {
        const verdict = await story.install({ clickId: id, installReferrer: `svc_click_id=${id}` }, from);
        assert.deepEqual(verdict.reasons, ['INSTALL_REFERRER not_claimable', 'CLICK_ID not_claimable']);
        assert.deepEqual([verdict.outcome, verdict.explanation.fingerprint.crowd], ['no_candidates', 0]);
      }
    });

    it('a click after Play began to install is after_install_began; Google’s clock counts before the phone’s', async () => {
      const story = await Story.begin(world);
      const clickedAtMs = world.clock.nowMs();
      const clickId = await story.click();
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
        const { method, reasons } = await story.install({ clickId, ...times(server, device) });
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
        const again = await story.click();
        const { method } = await story.install({ clickId: again, ...timesAfter(world, server, device) });
        assert.equal(method, 'CLICK_ID', `${server} ${device}`);
      }
      assert.equal((await story.install({ clickId, ...times(after, before) })).method, 'CLICK_ID');

      // The click that is made now is two hours younger than the first one.
      function timesAfter({ clock }: World, server: number | null, device: number | null) {
        const shift = seconds(clock.nowMs() - clickedAtMs);
        const later = (time: number | null) => (time === after || time === before ? time + shift : time);
        const told = times(later(server), later(device));
        world.clock.advance(2 * HOUR_MS);
        return told;
      }
    });

    it('that a click came after the install began holds for the referrer and the fingerprint, too', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      const clickId = await story.click();
      await story.tap({ from });
      const began = { installBeginTimestampServerSeconds: seconds(world.clock.nowMs() - HOUR_MS) };
      const { method, reasons } = await story.install(
        { installReferrer: `svc_click_id=${clickId}`, ...began },
        from,
      );
      assert.equal(method, 'ORGANIC');
      assert.deepEqual(reasons, ['INSTALL_REFERRER after_install_began', 'FINGERPRINT after_install_began']);
      assert.equal((await story.install({}, from)).method, 'FINGERPRINT');
    });

    it('a /64 is one address, the next one is another, and IPv4 within IPv6 is IPv4', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({ from: '2001:db8:5:6::1' });
      await story.tap({ from });
      assert.equal((await story.install({}, '2001:db8:5:7::1')).outcome, 'no_candidates');
      assert.equal((await story.install({}, '2001:DB8:5:6:ffff:1:2:3')).method, 'FINGERPRINT');
      assert.equal((await story.install({}, `::ffff:${from}`)).method, 'FINGERPRINT');
    });

    it('a phone that comes by IPv4 after a click by IPv6 is not matched, and nothing is held against the click', async () => {
      const story = await Story.begin(world);
      await story.tap({ from: '2001:db8:7:8::1' });
      const { method, reasons, outcome } = await story.install({});
      assert.deepEqual([method, reasons, outcome], ['ORGANIC', [], 'no_candidates']);
      assert.equal((await story.install({}, '2001:db8:7:8::2')).method, 'FINGERPRINT');
    });

    it('a vetoed click is a rejection with its reason, stays visible as a candidate, and is its own device’s still', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({ from });
      const chrome = IPHONE.replace(/Version\/\S+/, 'CriOS/140.0.7339.122').replace('17_5_1', '16_1');
      await story.tap({ from, userAgent: chrome, headers: { 'accept-language': 'fr-FR' } });
      const vetoed = async (fingerprint: object) => {
        const { method, reasons, explanation } = await story.install({ fingerprint }, from);
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
      assert.equal((await story.install({}, from)).method, 'FINGERPRINT');
    });

    it('a click that tells another model than the install is not taken, although version and language agree', async () => {
      const story = await Story.begin(world);
      const webview = PIXEL.replace('Android 10; K', 'Android 16; Pixel 7 Build/BP2A; wv');
      const phones = [
        [IPHONE, { ...IPHONE_FINGERPRINT, deviceModel: 'iPad13,4' }],
        [webview, { platform: 'ANDROID', osVersion: '16', deviceModel: 'SM-S911B', locale: 'en_US' }],
      ] as const;
      for (const [userAgent, fingerprint] of phones) {
        const from = freshAddress();
        await story.tap({ from, userAgent });
        assert.equal((await world.install(story.app, { fingerprint }, { from })).body.method, 'ORGANIC');
      }
    });

    it('a phone just like one that claimed a later click is not told that its own is claimed, only what it is worth', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      const userAgents = [
        IPHONE,
        IPHONE,
        ...['16_1', '16_2', '16_3'].map((one) => IPHONE.replace('17_5_1', one)),
      ];
      for (const userAgent of userAgents) {
        world.clock.advance(SECOND_MS);
        await story.tap({ from, userAgent });
      }
      assert.equal((await story.install({}, from)).method, 'FINGERPRINT');
      const { reasons, explanation } = await story.install({}, from);
      assert.deepEqual(reasons, ['FINGERPRINT already_claimed']);
      const [twin] = explanation.fingerprint.candidates ?? [];
      assert.equal(twin?.olderThanClaimed, true);
      assert.ok((twin?.probability ?? 0) > 0);
    });

    it('a click of the other platform is named other_platform and counts in the crowd', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({ from, userAgent: PIXEL });
      const { reasons, outcome, explanation } = await story.install({}, from);
      assert.deepEqual([reasons, outcome], [['FINGERPRINT other_platform'], 'no_candidates']);
      assert.ok((explanation.fingerprint.crowd ?? 0) > 0);
    });

    it('every other way to be organic has its name', async () => {
      const off = await Story.begin(world, { app: { fingerprintIos: false } });
      const from = freshAddress();
      await off.tap({ from });
      assert.deepEqual((await off.install({}, from)).explanation.fingerprint, { outcome: 'disabled' });

      const story = await Story.begin(world);
      assert.deepEqual((await story.install({}, null)).explanation.fingerprint, { outcome: 'no_address' });
      await story.tap({ from });
      assert.equal(
        (await story.install({ fingerprint: { osVersion: null, deviceModel: null, locale: null } }, from))
          .outcome,
        'nothing_agrees',
      );
      const older = { osVersion: '16.1' };
      assert.equal((await story.install({ fingerprint: older }, from)).outcome, 'below_threshold');
      await story.tap({ from, headers: { 'accept-language': 'fr-FR' } });
      const ambiguous = await story.install({ fingerprint: { locale: null } }, from);
      assert.deepEqual([ambiguous.outcome, ambiguous.method], ['ambiguous', 'ORGANIC']);
    });

    it('an open before its install stands alone and takes nothing from the install that follows', async () => {
      const story = await Story.begin(world);
      const [clickId, installId] = [await story.click(), randomUUID()];
      const { live } = story.app.keys;
      const open = { fingerprint: IPHONE_FINGERPRINT, clickId, installId };
      const opened = await world.call('POST', '/v1/sdk/open', { key: live, body: open });
      assert.deepEqual([opened.body.method, opened.body.installId], ['CLICK_ID', null]);
      const made = await story.install({ clickId });
      assert.deepEqual([made.method, made.reasons], ['CLICK_ID', []]);
      const again = await story.install({ clickId });
      assert.deepEqual(again.reasons, ['CLICK_ID already_claimed']);
    });

    it('an event before its install is not found and can be sent again after it, and one that is older is kept', async () => {
      const story = await Story.begin(world);
      const [clickId, installId, eventId] = [await story.click(), randomUUID(), randomUUID()];
      const event = { installId, eventId, eventName: 'level', occurredAt: '2026-01-01T00:00:00.000Z' };
      const send = () => world.call('POST', '/v1/sdk/event', { key: story.app.keys.live, body: event });
      assert.equal((await send()).status, 404);
      assert.equal((await story.install({ clickId: randomUUID() })).method, 'ORGANIC');
      assert.equal((await world.install(story.app, { clickId, installId })).body.method, 'CLICK_ID');
      assert.deepEqual((await send()).body, { eventId });
    });

    it('explain=true leaves no row in any table and claims nothing, whatever it finds', async () => {
      const story = await Story.begin(world);
      const [clickId, from] = [await story.click(), freshAddress()];
      await story.tap({ from });
      const before = await storedRows(world);
      const ask = async (body: Record<string, unknown>, query: string) => {
        const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: from };
        const call = { body: { apiKey: story.app.keys.live, fingerprint, ...body }, from: freshAddress() };
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
      assert.equal((await story.install({ clickId })).method, 'CLICK_ID');
      assert.equal((await story.install({}, from)).method, 'FINGERPRINT');
    });

    for (const [what, userAgent, told] of [
      ['candidates', IPHONE, { considered: 300, rejected: 0 }],
      ['rejections', PIXEL, { considered: 0, rejected: 300 }],
    ] as const)
      it(`with 400 devices behind one address the trace of ${what} stays below 8 KB`, async () => {
        const story = await Story.begin(world);
        const from = freshAddress();
        const devices = Array.from({ length: 400 }, (_, place) =>
          userAgent.replace(/\)$|$/, ` Build/${place}`),
        );
        await Promise.all(devices.map((device) => story.tap({ from, userAgent: device })));
        const name = 'x'.repeat(4_000);
        const { method, explanation, installId } = await story.install(
          { clickId: name, installReferrer: `svc_click_id=${name}` },
          from,
        );
        assert.equal(method, 'ORGANIC');
        assert.equal(explanation.fingerprint.considered, told.considered);
        assert.equal(explanation.rejected, told.rejected + 2);
        assert.ok((explanation.fingerprint.crowd ?? 0) >= 200);
        const { db } = world.service.ctx;
        const query = db.selectFrom('installs').select('trace').where('id', '=', installId);
        const { trace } = await query.executeTakeFirstOrThrow();
        assert.ok(Buffer.byteLength(trace) < MAX_TRACE_BYTES, `${Buffer.byteLength(trace)} bytes`);
      });

    it('no trace holds a value of a signal', async () => {
      const story = await Story.begin(world);
      const from = freshAddress();
      await story.tap({ from });
      const { explanation } = await story.install({ fingerprint: { timezone: 'Europe/Zurich' } }, from);
      const text = JSON.stringify(explanation);
      for (const value of [from, '17.5', '17_5', 'iPhone', 'en-US', 'en_US', 'Zurich', 'Safari'])
        assert.ok(!text.includes(value), value);
    });
  });
