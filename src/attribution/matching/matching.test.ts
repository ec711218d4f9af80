import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeviceReport, signalsOfClick, signalsOfDevice } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import { type Candidate, type Learning, learn, matchFingerprint, newKnowledge, type Scene } from './index.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z');
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const OLD_SAFARI = SAFARI.replace('17_5_1', '15_8_3').replace('Version/17.5', 'Version/15.6.6');

const IPHONE: DeviceReport = {
  platform: 'IOS',
  osVersion: '17.5.1',
  deviceModel: 'iPhone15,2',
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
  locale: 'en_US',
  timezone: 'America/New_York',
};
const PIXEL: DeviceReport = {
  platform: 'ANDROID',
  osVersion: '15',
  deviceModel: 'Pixel 8',
  locale: 'en_US',
};
const PIXEL_SCENE = { platform: 'ANDROID' as const, device: signalsOfDevice(PIXEL) };
const PAGE = {
  screenWidth: 393,
  screenHeight: 852,
  pixelRatio: 3,
  timezone: 'America/New_York',
  languages: ['en-US'],
};

function click(
  clickId: string,
  change: Partial<Parameters<typeof signalsOfClick>[0]> = {},
  ageMs = MINUTE_MS,
): Candidate {
  const report = { userAgent: SAFARI, acceptLanguage: 'en-US,en;q=0.9', page: null, ...change };
  const signals = signalsOfClick(report);
  return { clickId, clickedAtMs: NOW_MS - ageMs, signals, isOlderThanClaimed: false };
}

function match(candidates: readonly Candidate[], change: Partial<Scene> = {}, knowledge = newKnowledge()) {
  const scene = {
    platform: 'IOS' as const,
    device: signalsOfDevice(IPHONE),
    candidates,
    crowd: candidates.length,
    nowMs: NOW_MS,
    windowHours: 24,
    ...change,
  };
  return matchFingerprint(scene, knowledge);
}

function probabilityOf(
  candidate: Candidate,
  change: Partial<Scene> = {},
  knowledge = newKnowledge(),
): number {
  return match([candidate], change, knowledge).candidates[0]?.probability ?? 0;
}

describe('fingerprint match', () => {
  it('a phone that agrees in what is known is matched, with its probability', () => {
    const result = match([click('mine')]);
    assert.equal(result.clickId, 'mine');
    assert.ok('probability' in result && result.probability > 0.9 && result.probability < 1);
  });

  it('nobody who clicked is no match', () => {
    const result = match([]);
    assert.deepEqual([result.clickId, 'reason' in result && result.reason], [null, 'no_candidates']);
  });

  it('two phones that agree alike are ambiguous, however new one of them is', () => {
    const crowded = { crowd: 40 };
    const result = match([click('a', {}, MINUTE_MS), click('b', {}, MINUTE_MS)], crowded);
    assert.equal(result.clickId, null);
  });

  it('a phone that contradicts loses to one that agrees, although its click is newer', () => {
    const other = click('other', { userAgent: OLD_SAFARI, acceptLanguage: 'fr-FR' }, 1_000);
    assert.equal(match([other, click('mine', {}, 10 * MINUTE_MS)]).clickId, 'mine');
  });

  it('clicks of one device in two browsers are one hypothesis, and its last click is taken', () => {
    const withPage = click('first', { page: PAGE }, 5 * MINUTE_MS);
    const result = match([withPage, click('last', {}, MINUTE_MS)]);
    assert.equal(result.clickId, 'last');
    assert.ok('probability' in result && result.probability > 0.9);
  });

  it('a newer click that contradicts the install is never taken for an older one that does not', () => {
    const alice = click('alice', { userAgent: androidAgent('K') }, 90_000);
    const bob = click('bob', { userAgent: androidAgent('SM-S918B', '13') }, 60_000);
    const result = match([alice, bob], PIXEL_SCENE);
    const [best] = result.candidates;
    assert.deepEqual([result.clickId, best?.clickId], ['alice', 'alice']);
    assert.equal('probability' in result && result.probability, best?.probability);
    const silent = click('nobody', { userAgent: 'curl/8.5', acceptLanguage: null }, 30_000);
    assert.equal(match([alice, silent], { ...PIXEL_SCENE, crowd: 1 }).clickId, 'alice');
  });

  it('a system may be newer at the install than at the click, but never older', () => {
    const comparisonOf = (clicked: string, installed: string) => {
      const chrome = SAFARI.replace('17_5_1', clicked).replace(/Version\/\S+/, 'CriOS/140.0.7339.122');
      const device = signalsOfDevice({ ...IPHONE, osVersion: installed });
      return match([click('mine', { userAgent: chrome })], { device }).candidates[0]?.comparison.osVersion;
    };
    const steps = [
      ['18_4_1', '18.4.1', 'same'],
      ['18_4_1', '18.5', 'close'],
      ['18_4', '18.4.1', 'close'],
      ['18_4', '18.10', 'close'],
      ['18_5', '18.4.1', 'different'],
      ['18_10', '18.9', 'different'],
      ['17_5_1', '18.5', 'different'],
      ['26_1', '18.6', 'different'],
    ] as const;
    for (const [clicked, installed, agreement] of steps)
      assert.equal(comparisonOf(clicked, installed), agreement, `${clicked}, then ${installed}`);
    const lower = signalsOfDevice({ ...IPHONE, osVersion: '17.4.1' });
    assert.equal(match([click('mine')], { device: lower }).clickId, null);
  });

  it('a version that WebKit froze is held against no device, whichever side tells it', () => {
    const webView = SAFARI.replace('17_5_1', '18_6').replace(/ Version\/\S+/, '');
    const chrome = SAFARI.replace('17_5_1', '26_1').replace(/Version\/\S+/, 'CriOS/140.0.7339.122');
    const { osVersion: _told, ...untold } = IPHONE;
    const pairs = [
      [webView, signalsOfDevice({ ...IPHONE, osVersion: '26.1' })],
      [chrome, signalsOfDevice({ ...untold, userAgent: webView })],
    ] as const;
    for (const [userAgent, device] of pairs) {
      const [candidate] = match([click('mine', { userAgent })], { device }).candidates;
      assert.equal(candidate?.comparison.osVersion, undefined);
    }
  });

  it('a model that is named like a property of every object is a model like any other', () => {
    const [plain] = matchOfModel('Plain1').candidates;
    for (const model of ['constructor', '__proto__', 'toString']) {
      const [candidate] = matchOfModel(model).candidates;
      assert.equal(candidate?.weights.model, plain?.weights.model, model);
      assert.equal(candidate?.probability, plain?.probability, model);
    }
    function matchOfModel(model: string) {
      const candidates = [
        click('other', { userAgent: androidAgent('K') }, 2 * MINUTE_MS),
        click('mine', { userAgent: androidAgent(model) }),
      ];
      const device = signalsOfDevice({ ...PIXEL, deviceModel: model });
      return match(candidates, { ...PIXEL_SCENE, device, crowd: 12 });
    }
  });

  it('what is no number makes no match and is not learnt', () => {
    assert.equal(match([click('mine')], { crowd: Number.NaN }).clickId, null);
    const knowledge = newKnowledge();
    const before = probabilityOf(click('mine'), {}, knowledge);
    for (const compared of [
      { crowd: 1, probabilities: [Number.NaN] },
      { crowd: Number.NaN, probabilities: [0.5] },
      { crowd: Number.POSITIVE_INFINITY, probabilities: [] },
    ])
      learn(knowledge, { ...pairAfter(MINUTE_MS, 'address'), namedClick: null, compared });
    assert.ok(Math.abs(probabilityOf(click('mine'), {}, knowledge) - before) < 0.01);
  });

  it('another model stays another device, whatever few made-up installs say', () => {
    const knowledge = newKnowledge();
    for (let place = 0; place < 8; place++) learnNames(knowledge, 'SM-S918B', 'Pixel 8', `address ${place}`);
    for (let place = 0; place < 100; place++)
      learnNames(knowledge, 'SM-S918B', 'Pixel 8', 'one and the same address');
    for (let place = 0; place < 100; place++)
      learnNames(knowledge, 'SM-S918B', `Fake ${place}`, `fake ${place}`);
    assert.equal(matchOfNames('SM-S918B', 'Pixel 8', knowledge).clickId, null);
    assert.equal(matchOfNames('SM-S918B', 'Pixel 8', knowledge).candidates[0]?.probability, 0);
  });

  it('a model that an app’s certain pairs call by its own name is not called by another, however many say so', () => {
    const knowledge = newKnowledge();
    for (let place = 0; place < 50; place++) learnNames(knowledge, 'Pixel 8', 'Pixel 8', `honest ${place}`);
    for (let place = 0; place < 40; place++) learnNames(knowledge, 'SM-S918B', 'Pixel 8', `forged ${place}`);
    assert.equal(matchOfNames('SM-S918B', 'Pixel 8', knowledge).clickId, null);
  });

  it('where an app’s SDK calls a model by another name than browsers do, its certain pairs teach it', () => {
    const knowledge = newKnowledge();
    assert.equal(matchOfNames('SM-S918B', 'Galaxy S23 Ultra', knowledge).clickId, null);
    for (let place = 0; place < 40; place++)
      learnNames(knowledge, 'SM-S918B', 'Galaxy S23 Ultra', `address ${place}`);
    assert.equal(matchOfNames('SM-S918B', 'Galaxy S23 Ultra', knowledge).clickId, 'mine');
    assert.equal(matchOfNames('SM-S918B', 'Pixel 8', knowledge).clickId, null);
  });

  it('a click before one that a phone like it has claimed is that phone’s, and in a crowd perhaps its twin’s', () => {
    const mine = { ...click('mine'), isOlderThanClaimed: true };
    const [alone] = match([mine], { crowd: 1 }).candidates;
    assert.deepEqual([alone?.olderThanClaimed, alone?.probability], [true, 0]);
    const inCrowd = probabilityOf(mine, { crowd: 10 });
    assert.ok(inCrowd > 0.3 && inCrowd < probabilityOf(click('mine'), { crowd: 10 }), `${inCrowd}`);
    const unlike = click('unlike', { page: PAGE }, 2 * MINUTE_MS);
    assert.equal(match([mine, unlike], { crowd: 2 }).clickId, 'unlike');
  });

  it('the older a click, the less it is worth, and beyond the window nothing', () => {
    const ages = [MINUTE_MS, 30 * MINUTE_MS, 3 * HOUR_MS, 23 * HOUR_MS];
    const probabilities = ages.map((ageMs) => probabilityOf(click('mine', {}, ageMs)));
    assert.deepEqual(
      [...probabilities].sort((a, b) => b - a),
      probabilities,
    );
    assert.ok((probabilities.at(-1) ?? 1) < 0.5);
    assert.equal(probabilityOf(click('mine', {}, 80 * HOUR_MS)), 0);
  });

  it('a click of a machine whose clock is ahead is worth what a new one is', () => {
    assert.equal(probabilityOf(click('mine', {}, -5_000)), probabilityOf(click('mine', {}, 0)));
  });

  it('the more devices there are behind the address, the less any click is worth', () => {
    const probabilities = [1, 10, 100, 1_000].map((crowd) => probabilityOf(click('mine'), { crowd }));
    assert.deepEqual(
      [...probabilities].sort((a, b) => b - a),
      probabilities,
    );
    assert.equal(match([click('mine')], { crowd: 1_000 }).clickId, null);
  });

  it('every signal that agrees adds to the probability, in a crowd', () => {
    const crowd = { crowd: 60 };
    const bare = probabilityOf(click('mine', { userAgent: null, acceptLanguage: null }), crowd);
    const version = probabilityOf(click('mine'), crowd);
    const page = probabilityOf(click('mine', { page: PAGE }), crowd);
    assert.ok(bare < version && version < page, `${bare}, ${version}, ${page}`);
  });

  it('a rare value weighs more than a common one', () => {
    const knowledge = newKnowledge();
    for (let place = 0; place < 400; place++)
      learn(knowledge, {
        platform: 'IOS',
        device: signalsOfDevice({ ...IPHONE, osVersion: place % 50 === 0 ? '17.5.1' : '18.6.2' }),
        address: `address ${place}`,
        installedAtMs: NOW_MS,
        namedClick: null,
        compared: null,
      });
    const weightOf = (userAgent: string, osVersion: string) =>
      match([click('mine', { userAgent })], { device: signalsOfDevice({ ...IPHONE, osVersion }) }, knowledge)
        .candidates[0]?.weights.osVersion ?? 0;
    const chrome = SAFARI.replace(/Version\/\S+/, 'CriOS/140.0.7339.122');
    const common = weightOf(chrome.replace('17_5_1', '18_6_2'), '18.6.2');
    assert.ok(weightOf(chrome, '17.5.1') > common + 1, `${weightOf(chrome, '17.5.1')} against ${common}`);
  });

  it('what certain matches show of an app’s people replaces the defaults', () => {
    const knowledge = newKnowledge();
    const late = click('mine', {}, 20 * HOUR_MS);
    const before = probabilityOf(late, {}, knowledge);
    for (let place = 0; place < 500; place++) learn(knowledge, pairAfter(20 * HOUR_MS, `address ${place}`));
    assert.ok(probabilityOf(late, {}, knowledge) > before + 0.1);
  });

  it('one address teaches one pair, however many installs it makes up', () => {
    const knowledge = newKnowledge();
    for (let place = 0; place < 500; place++) learn(knowledge, pairAfter(20 * HOUR_MS, 'one and the same'));
    const late = click('mine', {}, 20 * HOUR_MS);
    assert.ok(Math.abs(probabilityOf(late, {}, knowledge) - probabilityOf(late)) < 0.2);
  });

  it('whatever is taught, rates and shares stay within their bounds', () => {
    const knowledge = newKnowledge();
    for (let place = 0; place < 3_000; place++)
      learn(knowledge, {
        ...pairAfter(MINUTE_MS, `address ${place}`),
        device: signalsOfDevice({ ...IPHONE, osVersion: '9.1', locale: 'ja_JP' }),
        compared: { crowd: 0, probabilities: [1] },
      });
    const { calibration } = knowledge;
    const rates = calibration.rates('IOS', 'osVersion');
    assert.ok(rates.same > 0.001 && rates.different < 1, JSON.stringify(rates));
    assert.ok(calibration.clickedShare('IOS') <= 0.9);
    assert.ok(calibration.sameAddressShare < 1);
  });
});

function androidAgent(model: string, version = '10'): string {
  const webView = model === 'K' ? '' : 'Version/4.0 ';
  return `Mozilla/5.0 (Linux; Android ${version}; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) ${webView}Chrome/141.0.0.0 Mobile Safari/537.36`;
}

function learnNames(knowledge: Learning, clicked: string, installed: string, address: string): void {
  const userAgent = androidAgent(clicked, '15');
  learn(knowledge, {
    platform: 'ANDROID',
    device: signalsOfDevice({ ...PIXEL, deviceModel: installed }),
    address,
    installedAtMs: NOW_MS,
    namedClick: {
      signals: signalsOfClick({ userAgent, acceptLanguage: 'en-US', page: null }),
      address,
      clickedAtMs: NOW_MS - MINUTE_MS,
    },
    compared: null,
  });
}

function matchOfNames(clicked: string, installed: string, knowledge: Learning) {
  const device = signalsOfDevice({ ...PIXEL, deviceModel: installed });
  return match(
    [click('mine', { userAgent: androidAgent(clicked, '15') })],
    { ...PIXEL_SCENE, device },
    knowledge,
  );
}

function pairAfter(delayMs: number, address: string) {
  return {
    platform: 'IOS' as const,
    device: signalsOfDevice(IPHONE),
    address,
    installedAtMs: NOW_MS,
    namedClick: {
      signals: signalsOfClick({ userAgent: SAFARI, acceptLanguage: 'en-US', page: PAGE }),
      address,
      clickedAtMs: NOW_MS - delayMs,
    },
    compared: null,
  };
}
