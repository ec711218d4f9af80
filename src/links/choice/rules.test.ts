import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseRule, type LinkRule, type RuleConditions, type RuleVisit } from './rules.ts';

const VISIT: RuleVisit = {
  platform: 'IOS',
  osVersion: { least: '17.5.1', most: '17.5.1' },
  language: 'de-AT',
  country: 'AT',
  query: new Map([['utm_source', 'poster']]),
  atMs: Date.parse('2026-11-26T12:00:00Z'),
  id: '01a1f88f-e5b7-7d62-aa89-c51860d95758',
};
const rule = (when: RuleConditions): LinkRule => ({ when, then: { campaignId: 'c' } });
const holds = (when: RuleConditions, visit: Partial<RuleVisit> = {}) =>
  chooseRule([rule(when)], { ...VISIT, ...visit }) === 0;

describe('rules of a link', () => {
  it('the first rule whose conditions all hold wins', () => {
    const rules = [
      rule({ platform: 'ANDROID' }),
      rule({ platform: 'IOS', country: 'DE' }),
      rule({}),
      rule({}),
    ];
    assert.equal(chooseRule(rules, VISIT), 2);
    assert.equal(chooseRule(rules, { ...VISIT, country: 'DE' }), 1);
    assert.equal(chooseRule(rules.slice(0, 2), VISIT), null);
    assert.equal(chooseRule([], VISIT), null);
  });

  it('versions are compared as numbers, on the numbers that the rule gives', () => {
    const cases: [min: string | null, max: string | null, version: string, expected: boolean][] = [
      ['17', null, '17', true],
      ['17', null, '17.0.1', true],
      ['17', null, '16.9', false],
      ['9', null, '10.1', true],
      ['17.10', null, '17.9', false],
      ['17.9', null, '17.10', true],
      ['17.5', null, '17', false],
      ['17.0', null, '17', true],
      [null, '17', '17.6', true],
      [null, '17', '18', false],
      [null, '17.5', '17.5.9', true],
      [null, '17.5', '17.6', false],
      ['16', '17', '17.6.1', true],
      ['16', '17', '15.9', false],
    ];
    for (const [min, max, version, expected] of cases)
      assert.equal(
        holds(
          { osVersion: { ...(min && { min }), ...(max && { max }) } },
          { osVersion: { least: version, most: version } },
        ),
        expected,
        `${version} from ${min} to ${max}`,
      );
  });

  it('a version that is known in part holds only where every possible one does', () => {
    const any18 = { least: '18', most: '18.999' };
    const from18 = { least: '18.6', most: null };
    assert.equal(holds({ osVersion: { min: '18' } }, { osVersion: any18 }), true);
    assert.equal(holds({ osVersion: { max: '18' } }, { osVersion: any18 }), true);
    assert.equal(holds({ osVersion: { min: '18.4' } }, { osVersion: any18 }), false);
    assert.equal(holds({ osVersion: { max: '18.4' } }, { osVersion: any18 }), false);
    assert.equal(holds({ osVersion: { min: '18.6' } }, { osVersion: from18 }), true);
    assert.equal(holds({ osVersion: { min: '26' } }, { osVersion: from18 }), false);
    assert.equal(holds({ osVersion: { max: '26' } }, { osVersion: from18 }), false);
  });

  it('a language holds for its regions and scripts, a region for itself', () => {
    const cases: [wanted: string | string[], language: string, expected: boolean][] = [
      ['de', 'de', true],
      ['de', 'de-AT', true],
      ['DE', 'de_AT', true],
      ['de', 'den', false],
      ['pt-BR', 'pt-BR', true],
      ['pt-br', 'PT-BR', true],
      ['pt-BR', 'pt', false],
      ['pt-BR', 'pt-PT', false],
      ['zh-TW', 'zh-Hant-TW', true],
      ['zh-Hant', 'zh-Hant-TW', true],
      ['zh-Hant', 'zh-TW', false],
      ['de-AT', 'de-x-AT', false],
      ['he', 'iw-IL', true],
      [['fr', 'de'], 'de-CH', true],
      [['fr', 'es'], 'de-CH', false],
    ];
    for (const [language, visitor, expected] of cases)
      assert.equal(holds({ language }, { language: visitor }), expected, `${visitor} for ${language}`);
  });

  it('parameters are compared by text, or asked for whatever their text', () => {
    const query = new Map([
      ['a', '1'],
      ['empty', ''],
    ]);
    assert.equal(holds({ query: { a: '1' } }, { query }), true);
    assert.equal(holds({ query: { a: '2' } }, { query }), false);
    assert.equal(holds({ query: { a: null, empty: null } }, { query }), true);
    assert.equal(holds({ query: { a: '1', b: null } }, { query }), false);
    for (const name of ['__proto__', 'constructor', 'toString'])
      assert.equal(holds({ query: JSON.parse(`{${JSON.stringify(name)}:null}`) }, { query }), false, name);
  });

  it('times are inclusive at the start and exclusive at the end', () => {
    const at = (text: string) => ({ atMs: Date.parse(text) });
    const when = { from: '2026-11-01T00:00:00+01:00', to: '2026-12-01T00:00:00+01:00' };
    assert.equal(holds(when, at('2026-10-31T22:59:59.999Z')), false);
    assert.equal(holds(when, at('2026-10-31T23:00:00Z')), true);
    assert.equal(holds(when, at('2026-11-30T22:59:59.999Z')), true);
    assert.equal(holds(when, at('2026-11-30T23:00:00Z')), false);
  });

  it('what is unknown meets no condition', () => {
    const unknown: RuleVisit = {
      ...{ ...VISIT, platform: 'OTHER' as const, osVersion: null, language: null, country: null },
      query: new Map(),
    };
    const conditions: RuleConditions[] = [
      { osVersion: { min: '0' } },
      { osVersion: { max: '999' } },
      { language: 'de' },
      { country: ['DE', 'AT'] },
      { query: { utm_source: null } },
      { platform: 'IOS' },
    ];
    for (const when of conditions)
      assert.equal(chooseRule([rule(when)], unknown), null, JSON.stringify(when));
    assert.equal(chooseRule([rule({ platform: 'OTHER' })], unknown), 0);
    assert.equal(chooseRule([rule({})], unknown), 0);
  });
});

/** As the service makes them: in order of time, so that neighbours differ in few characters. */
function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const tail = (index * 7_919).toString(16).padStart(12, '0');
    return `01a1f88f-${(index % 65_536).toString(16).padStart(4, '0')}-7d62-aa89-${tail}`;
  });
}

describe('percentages of rules', () => {
  const IDS = idsOf(20_000);
  /** Five standard deviations. */
  const tolerance = (share: number, of: number) => 5 * Math.sqrt((share * (1 - share)) / of);
  const shareOf = (when: RuleConditions, place: number, ids = IDS) => {
    const rules = [...Array.from({ length: place }, () => rule({ percent: 0 })), rule(when)];
    return ids.filter((id) => chooseRule(rules, { ...VISIT, id }) !== null).length / ids.length;
  };

  it('each gets its share of the clicks, at every place', () => {
    for (const place of [0, 1, 2, 7, 19])
      for (const percent of [0.5, 10, 33.3, 50, 90]) {
        const share = shareOf({ percent }, place);
        assert.ok(
          Math.abs(share - percent / 100) < tolerance(percent / 100, IDS.length),
          `${percent} % at ${place}: ${share}`,
        );
      }
  });

  it('0 and 100 are exact', () => {
    assert.equal(shareOf({ percent: 0 }, 0), 0);
    assert.equal(shareOf({ percent: 100 }, 3), 1);
  });

  it('draws are uniform over all of their range', () => {
    const bins = Array.from({ length: 20 }, (_, bin) => 5 * (bin + 1));
    const rules = bins.map((percent) => [rule({ percent })]);
    const below = rules.map((one) => IDS.filter((id) => chooseRule(one, { ...VISIT, id }) === 0).length);
    const expected = IDS.length / bins.length;
    const chiSquare = below.reduce((sum, count, bin) => {
      const observed = count - (below[bin - 1] ?? 0);
      return sum + (observed - expected) ** 2 / expected;
    }, 0);
    // 0.9999 quantile for 19 degrees of freedom.
    assert.ok(chiSquare < 50.8, `chi-square ${chiSquare}`);
  });

  it('the draws of two rules are independent', () => {
    for (const [first, second] of [
      [0, 1],
      [0, 19],
      [3, 4],
      [6, 13],
    ] as const) {
      const places = Array.from({ length: 20 }, (_, place) =>
        place === first || place === second ? rule({ percent: 50 }) : rule({ percent: 0 }),
      );
      const alone = places.map((one, place) => (place === first ? rule({ percent: 0 }) : one));
      const both = IDS.filter(
        (id) =>
          chooseRule(places, { ...VISIT, id }) === first && chooseRule(alone, { ...VISIT, id }) === second,
      );
      const share = both.length / IDS.length;
      assert.ok(Math.abs(share - 0.25) < tolerance(0.25, IDS.length), `${first} and ${second}: ${share}`);
    }
  });

  it('a click gets the same draw each time', () => {
    const rules = [rule({ percent: 30 }), rule({ percent: 50 })];
    for (const id of IDS.slice(0, 100))
      assert.equal(chooseRule(rules, { ...VISIT, id }), chooseRule([...rules], { ...VISIT, id }));
  });
});
