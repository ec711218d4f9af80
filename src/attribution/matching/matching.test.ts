import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeviceReport, signalsOfClick, signalsOfDevice } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import { type Candidate, learn, matchFingerprint, newKnowledge, type Scene } from './index.ts';

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
  return { clickId, clickedAtMs: NOW_MS - ageMs, signals: signalsOfClick(report) };
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
