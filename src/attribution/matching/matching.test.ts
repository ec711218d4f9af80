import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeviceReport, signalsOfClick, signalsOfDevice } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts';
import { type Candidate, type MatchInput, matchFingerprint } from './match.ts';

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
const PIXEL_INPUT = { device: signalsOfDevice(PIXEL) };
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
  linkId = 'link',
): Candidate {
  const report = { userAgent: SAFARI, acceptLanguage: 'en-US,en;q=0.9', page: null, ...change };
  const signals = signalsOfClick(report);
  return { clickId, linkId, clickedAtMs: NOW_MS - ageMs, signals, isOlderThanClaimed: false };
}

function match(candidates: readonly Candidate[], change: Partial<MatchInput> = {}) {
  const input = {
    device: signalsOfDevice(IPHONE),
    candidates,
    crowd: candidates.length,
    nowMs: NOW_MS,
    windowHours: 24,
    hasReferrer: false,
    threshold: 0.7,
    ...change,
  };
  return matchFingerprint(input);
}

function probabilityOf(candidate: Candidate, change: Partial<MatchInput> = {}): number {
  return match([candidate], change).candidates[0]?.probability ?? 0;
}

describe('fingerprint match', () => {
  it('matches a phone whose known signals agree, with a probability', () => {
    const result = match([click('mine')]);
    assert.equal(result.clickId, 'mine');
    assert.ok('probability' in result && result.probability > 0.9 && result.probability < 1);
  });

  it('does not match without candidates', () => {
    const result = match([]);
    assert.deepEqual([result.clickId, 'reason' in result && result.reason], [null, 'no_candidates']);
  });

  it('two phones that agree equally are ambiguous, however recent one click is', () => {
    const crowded = { crowd: 40 };
    const result = match([click('a', {}, MINUTE_MS), click('b', {}, MINUTE_MS)], crowded);
    assert.equal(result.clickId, null);
  });

  it('a phone that agrees wins over a newer click of one that contradicts', () => {
    const other = click('other', { userAgent: OLD_SAFARI, acceptLanguage: 'fr-FR' }, 1_000);
    assert.equal(match([other, click('mine', {}, 10 * MINUTE_MS)]).clickId, 'mine');
  });

  it('the trace leads from the odds before comparing over the weights to the probability', () => {
    const clicks = [
      click('mine', { page: PAGE }),
      click('other', { userAgent: OLD_SAFARI }, 20 * MINUTE_MS),
      click('third', { userAgent: SAFARI.replace('17_5_1', '17_4') }, HOUR_MS),
    ];
    const { candidates } = match(clicks, { crowd: 4 });
    const odds = candidates.map(({ priorOdds = 0, weights, probability }) =>
      probability === 0
        ? 0
        : priorOdds * Math.exp(Object.values(weights).reduce((sum, weight) => sum + weight, 0)),
    );
    // Where each click is of a device of its own, each counts whole.
    assert.deepEqual(
      new Set(candidates.filter(({ device = 0 }) => device > 0).map(({ device }) => device)).size,
      2,
    );
    const total = 1 + odds.reduce((sum, each) => sum + each, 0);
    for (const [index, { probability }] of candidates.entries())
      assert.ok(Math.abs(probability - (odds[index] ?? 0) / total) < 0.01, `${probability}`);
    assert.ok((candidates[0]?.priorOdds ?? 0) > (candidates[1]?.priorOdds ?? 0));
  });

  it('clicks that may be of one device have its number in the trace', () => {
    const clicks = [
      click('first'),
      click('again', {}, 3 * MINUTE_MS),
      click('other', { userAgent: OLD_SAFARI }),
    ];
    const devices = new Map(
      match(clicks, { crowd: 4, device: signalsOfDevice({ ...IPHONE, osVersion: null }) }).candidates.map(
        ({ clickId, device }) => [clickId, device],
      ),
    );
    assert.equal(devices.get('first'), devices.get('again'));
    assert.notEqual(devices.get('first'), devices.get('other'));
  });

  it('two browsers of one device count as one device, and its last click is credited', () => {
    const withPage = click('first', { page: PAGE }, 5 * MINUTE_MS);
    const result = match([withPage, click('last', {}, MINUTE_MS)]);
    assert.equal(result.clickId, 'last');
    assert.ok('probability' in result && result.probability > 0.9);
  });

  it('a later click on another link is credited only if it agrees in every signal of the earlier one', () => {
    const chrome = { userAgent: SAFARI.replace(/Version\/\S+/, 'CriOS/140.0.7339.122') };
    const bare = click('bare', {}, 5 * MINUTE_MS);
    const silent = { acceptLanguage: null };
    for (const [first, later, credited] of [
      [click('page', { page: PAGE }, 5 * MINUTE_MS), click('later', {}, MINUTE_MS, 'other'), 'page'],
      [click('page', { page: PAGE }, 5 * MINUTE_MS), click('later', {}, MINUTE_MS), 'later'],
      [bare, click('later', silent, MINUTE_MS, 'other'), 'bare'],
      [bare, click('later', silent, MINUTE_MS), 'later'],
      [bare, click('later', chrome, MINUTE_MS, 'other'), 'later'],
      [bare, click('later', { page: PAGE }, MINUTE_MS, 'other'), 'later'],
      // After hours the earlier click is too improbable.
      [click('old', {}, 5 * HOUR_MS), click('later', silent, MINUTE_MS, 'other'), 'later'],
    ] as const)
      assert.equal(match([later, first]).clickId, credited);
  });

  it('a newer click that contradicts the install is never credited', () => {
    const alice = click('alice', { userAgent: androidAgent('K') }, 90_000);
    const bob = click('bob', { userAgent: androidAgent('SM-S918B', '13') }, 60_000);
    const result = match([alice, bob], PIXEL_INPUT);
    const [best] = result.candidates;
    assert.deepEqual([result.clickId, best?.clickId], ['alice', 'alice']);
    assert.equal('probability' in result && result.probability, best?.probability);
    const silent = click('silent', { userAgent: 'curl/8.5', acceptLanguage: null }, 30_000);
    assert.equal(match([alice, silent], { ...PIXEL_INPUT, crowd: 1 }).clickId, 'alice');
  });

  it('the OS version may rise between click and install, but not fall', () => {
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

  it('a version frozen by WebKit contradicts no device, on either side', () => {
    const webView = SAFARI.replace('17_5_1', '18_6').replace(/ Version\/\S+/, '');
    const chrome = SAFARI.replace('17_5_1', '26_1').replace(/Version\/\S+/, 'CriOS/140.0.7339.122');
    const { osVersion: _version, ...unversioned } = IPHONE;
    const pairs = [
      [webView, signalsOfDevice({ ...IPHONE, osVersion: '26.1' })],
      [chrome, signalsOfDevice({ ...unversioned, userAgent: webView })],
    ] as const;
    for (const [userAgent, device] of pairs) {
      const [candidate] = match([click('mine', { userAgent })], { device }).candidates;
      assert.equal(candidate?.comparison.osVersion, undefined);
    }
  });

  it('model names that are properties of Object.prototype are ordinary models', () => {
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
      return match(candidates, { ...PIXEL_INPUT, device, crowd: 12 });
    }
  });

  it('NaN makes no match', () => {
    assert.equal(match([click('mine')], { crowd: Number.NaN }).clickId, null);
  });

  it('another model, an older OS version or two contradictions veto a match even for a lone click', () => {
    const page = (change: object) => click('mine', { page: { ...PAGE, ...change } }, 0);
    const clicked = page({});
    assert.equal(match([clicked], { crowd: 1 }).clickId, 'mine');
    for (const [device, reason] of [
      [{ deviceModel: 'iPad13,4' }, 'other_model'],
      [{ osVersion: '17.4.1' }, 'older_system'],
      [{ osVersion: '16.7' }, 'older_system'],
      [{ locale: 'fr_FR', timezone: 'Asia/Tokyo' }, 'contradicts'],
      [{ osVersion: '18.1', locale: 'fr_FR' }, 'contradicts'],
      [{ screenWidth: 1290, screenHeight: 2796, locale: 'fr_FR' }, 'contradicts'],
    ] as const) {
      const result = match([clicked], { crowd: 1, device: signalsOfDevice({ ...IPHONE, ...device }) });
      assert.equal(result.clickId, null, JSON.stringify(device));
      assert.deepEqual(result.vetoed, [{ clickId: 'mine', reason }]);
      assert.equal(result.candidates[0]?.probability, 0);
    }
  });

  it('one contradiction, an OS update or missing signals are no veto', () => {
    const withPage = click('mine', { page: PAGE }, 0);
    for (const device of [
      { locale: 'fr_FR' },
      { timezone: 'Asia/Tokyo' },
      { screenWidth: 1290, screenHeight: 2796 },
      { osVersion: '17.6' },
      { osVersion: '18.1' },
      { osVersion: '17.6', locale: 'fr_FR' },
      { osVersion: null, locale: null, screenWidth: null, timezone: 'Asia/Tokyo' },
    ]) {
      const { vetoed, candidates } = match([withPage], {
        crowd: 1,
        device: signalsOfDevice({ ...IPHONE, ...device }),
      });
      assert.deepEqual(vetoed, [], JSON.stringify(device));
      assert.ok((candidates[0]?.probability ?? 0) > 0);
    }
  });

  it('a vetoed click does not compete with others', () => {
    const other = click('other', { userAgent: OLD_SAFARI, page: { ...PAGE, timezone: 'Asia/Tokyo' } }, 0);
    const alone = match([click('mine')], { crowd: 2 });
    const beside = match([other, click('mine')], { crowd: 2, device: signalsOfDevice(IPHONE) });
    assert.equal(beside.clickId, 'mine');
    assert.equal('probability' in beside && beside.probability, 'probability' in alone && alone.probability);
  });

  it('a Samsung model code does not contradict a marketing name, but another maker does', () => {
    const matchOf = (deviceModel: string) =>
      match([click('mine', { userAgent: androidAgent('SM-S918B', '15') })], {
        ...PIXEL_INPUT,
        device: signalsOfDevice({ ...PIXEL, deviceModel }),
      });
    assert.equal(matchOf('Galaxy S23 Ultra').clickId, 'mine');
    assert.deepEqual(matchOf('Galaxy S23 Ultra').candidates[0]?.comparison, {
      model: 'close',
      osVersion: 'same',
      language: 'same',
    });
    assert.deepEqual(matchOf('Pixel 8').vetoed, [{ clickId: 'mine', reason: 'other_model' }]);
    assert.deepEqual(matchOf('SM-S911B').vetoed, [{ clickId: 'mine', reason: 'other_model' }]);
  });

  it('unequal names of phones weigh against a click: a code beside a title is found without a rival', () => {
    const clickOf = (model: string, ageMs = MINUTE_MS) =>
      click(model, { userAgent: androidAgent(model, '15') }, ageMs);
    const deviceOf = (deviceModel: string) => ({
      ...PIXEL_INPUT,
      device: signalsOfDevice({ ...PIXEL, deviceModel }),
    });
    assert.equal(
      match([clickOf('SM-S918B', 12 * MINUTE_MS)], deviceOf('Galaxy S23 Ultra')).clickId,
      'SM-S918B',
    );
    const rival = clickOf('Galaxy S23 Ultra', 12 * MINUTE_MS);
    assert.equal(
      match([clickOf('SM-S918B'), rival], deviceOf('Galaxy S23 Ultra')).clickId,
      'Galaxy S23 Ultra',
    );
    for (const [clicked, installed] of [
      ['Redmi Note 9S', 'POCO X3 NFC'],
      ['Figgers DragonX', 'AURII ULTRA'],
    ] as const) {
      const { clickId, vetoed } = match([clickOf(clicked)], deviceOf(installed));
      assert.deepEqual([clickId, vetoed], [null, []], clicked);
    }
  });

  it('two differences do not veto the click of a phone with the same model, such as a folded one; three do', () => {
    const page = {
      screenWidth: 344,
      screenHeight: 882,
      pixelRatio: 2.625,
      timezone: 'Europe/Berlin',
      languages: ['de-DE'],
    };
    const mine = click('mine', { userAgent: androidAgent('SM-F946B', '15'), page });
    const unfolded = {
      ...PIXEL,
      deviceModel: 'SM-F946B',
      ...{ screenWidth: 1812, screenHeight: 2176, screenDensity: 2.625 },
      ...{ locale: 'de_DE', timezone: 'Europe/Berlin' },
    };
    const matchOf = (change: Partial<DeviceReport>) =>
      match([mine], { device: signalsOfDevice({ ...unfolded, ...change }) });
    for (const change of [{}, { timezone: 'Asia/Tokyo' }, { locale: 'fr_FR' }])
      assert.equal(matchOf(change).clickId, 'mine', JSON.stringify(change));
    assert.deepEqual(matchOf({ timezone: 'Asia/Tokyo', locale: 'fr_FR' }).vetoed, [
      { clickId: 'mine', reason: 'contradicts' },
    ]);
  });

  it('a click of a newer Safari than the install’s system is vetoed, one of an older Safari is not', () => {
    const matchOf = (safari: string, osVersion: string) => {
      const userAgent = SAFARI.replace('17_5_1', '18_6').replace('17.5', safari);
      return match([click('mine', { userAgent })], { device: signalsOfDevice({ ...IPHONE, osVersion }) })
        .vetoed;
    };
    for (const osVersion of ['26.0', '26.0.1', '26.1', '26.1.1', '18.6'])
      assert.deepEqual(matchOf('26.2', osVersion), [{ clickId: 'mine', reason: 'older_system' }], osVersion);
    for (const osVersion of ['26', '26.2', '26.2.1', '26.3', '27.0'])
      assert.deepEqual(matchOf('26.2', osVersion), [], osVersion);
  });

  it('a Mac’s user agent without a page weighs much less than an iPad’s', () => {
    const ipad = { device: signalsOfDevice({ ...IPHONE, deviceModel: 'iPad14,6' }) };
    const mac = SAFARI.replace(/\(iPhone[^)]*\)/, '(Macintosh; Intel Mac OS X 10_15_7)').replace(
      'Mobile/15E148 ',
      '',
    );
    const weightOf = (userAgent: string) =>
      match([click('mine', { userAgent })], ipad).candidates[0]?.weights;
    const sure = weightOf(SAFARI.replaceAll('iPhone', 'iPad'))?.model ?? 0;
    const unsure = weightOf(mac)?.model ?? 0;
    assert.ok(sure - unsure > 5, `${sure}, ${unsure}`);
    assert.equal(match([click('mine', { userAgent: mac }, HOUR_MS)], ipad).clickId, null);
  });

  it('a referrer without a click ID lowers the probability of a match', () => {
    const mine = click('mine', { userAgent: androidAgent('K') });
    const named = probabilityOf(mine, { ...PIXEL_INPUT, hasReferrer: true });
    assert.ok(named < probabilityOf(mine, PIXEL_INPUT), `${named}`);
  });

  it('a click older than a claimed one of an identical device counts only in a crowd', () => {
    const mine = { ...click('mine'), isOlderThanClaimed: true };
    const [alone] = match([mine], { crowd: 1 }).candidates;
    assert.deepEqual([alone?.olderThanClaimed, alone?.probability], [true, 0]);
    const inCrowd = probabilityOf(mine, { crowd: 10 });
    assert.ok(inCrowd > 0.3 && inCrowd < probabilityOf(click('mine'), { crowd: 10 }), `${inCrowd}`);
    const unlike = click('unlike', { page: PAGE }, 2 * MINUTE_MS);
    assert.equal(match([mine, unlike], { crowd: 2 }).clickId, 'unlike');
  });

  it('the probability falls with the age of the click, to zero beyond the window', () => {
    const ages = [MINUTE_MS, 30 * MINUTE_MS, 3 * HOUR_MS, 23 * HOUR_MS];
    const probabilities = ages.map((ageMs) => probabilityOf(click('mine', {}, ageMs)));
    assert.deepEqual(
      [...probabilities].sort((a, b) => b - a),
      probabilities,
    );
    assert.ok((probabilities.at(-1) ?? 1) < 0.5);
    assert.equal(probabilityOf(click('mine', {}, 80 * HOUR_MS)), 0);
  });

  it('a click from the future counts as made now', () => {
    assert.equal(probabilityOf(click('mine', {}, -5_000)), probabilityOf(click('mine', {}, 0)));
  });

  it('the probability falls with the number of devices behind the address', () => {
    const probabilities = [1, 10, 100, 1_000].map((crowd) => probabilityOf(click('mine'), { crowd }));
    assert.deepEqual(
      [...probabilities].sort((a, b) => b - a),
      probabilities,
    );
    assert.equal(match([click('mine')], { crowd: 1_000 }).clickId, null);
  });

  it('in a crowd, every signal that agrees raises the probability', () => {
    const crowd = { crowd: 60 };
    const bare = probabilityOf(click('mine', { userAgent: null, acceptLanguage: null }), crowd);
    const version = probabilityOf(click('mine'), crowd);
    const page = probabilityOf(click('mine', { page: PAGE }), crowd);
    assert.ok(bare < version && version < page, `${bare}, ${version}, ${page}`);
  });
});

function androidAgent(model: string, version = '10'): string {
  const webView = model === 'K' ? '' : 'Version/4.0 ';
  return `Mozilla/5.0 (Linux; Android ${version}; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) ${webView}Chrome/141.0.0.0 Mobile Safari/537.36`;
}
