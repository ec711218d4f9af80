import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseRule, type LinkRule, type RuleConditions, type RuleVisit } from './rules.ts';
import { rulesThatNeverWin } from './rules-that-never-win.ts';

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');
const rule = (when: RuleConditions): LinkRule => ({ when, then: { campaignId: 'c' } });
const idle = (...all: RuleConditions[]) => rulesThatNeverWin(all.map(rule), NOW_MS);

describe('rules that never win', () => {
  it('a rule whose visitors an earlier one gets all is found', () => {
    const pairs: [earlier: RuleConditions, later: RuleConditions, covered: boolean][] = [
      [{}, {}, true],
      [{}, { platform: 'IOS', country: 'DE' }, true],
      [{ platform: 'IOS' }, { platform: 'IOS', percent: 10 }, true],
      [{ platform: 'IOS' }, {}, false],
      [{ percent: 100 }, { country: 'DE' }, true],
      [{ percent: 99 }, { country: 'DE' }, false],
      [{ country: ['DE', 'AT'] }, { country: 'AT' }, true],
      [{ country: 'AT' }, { country: ['DE', 'AT'] }, false],
      [{ language: 'de' }, { language: ['de-AT', 'de-CH'] }, true],
      [{ language: 'de-AT' }, { language: 'de' }, false],
      [{ osVersion: { min: '15' } }, { osVersion: { min: '16', max: '17' } }, true],
      [{ osVersion: { max: '17.5' } }, { osVersion: { max: '17' } }, false],
      [{ osVersion: { max: '17' } }, { osVersion: { max: '17.5' } }, true],
      [{ osVersion: { min: '17' } }, { osVersion: { min: '17.0' } }, true],
      [{ osVersion: { min: '17' } }, {}, false],
      [{ query: { a: null } }, { query: { a: '1' } }, true],
      [{ query: { a: '1' } }, { query: { a: null } }, false],
      [{ query: { a: '1' } }, { query: { a: '1', b: null } }, true],
      [{ from: '2026-01-01T00:00:00Z' }, {}, true],
      [{ from: '2027-01-01T00:00:00Z' }, {}, false],
      [{ to: '2027-01-01T00:00:00Z' }, {}, false],
      [{ to: '2027-01-01T00:00:00Z' }, { to: '2026-12-01T00:00:00Z' }, true],
    ];
    for (const [earlier, later, covered] of pairs)
      assert.deepEqual(
        idle(earlier, later),
        covered ? [{ place: 1, why: 'covered', coveredBy: 0 }] : [],
        JSON.stringify([earlier, later]),
      );
  });

  it('a rule whose time is over, or that is for 0 percent, is found, and covers nothing', () => {
    const over = { to: '2026-11-26T12:00:00Z' };
    assert.deepEqual(idle(over, { country: 'DE' }), [{ place: 0, why: 'over', coveredBy: null }]);
    assert.deepEqual(idle({ percent: 0 }, {}), [{ place: 0, why: 'percent', coveredBy: null }]);
  });

  it('a rule that asks for a version where none is told, or for one that is not between its bounds, is found', () => {
    const cases: [RuleConditions, isFound: boolean][] = [
      [{ platform: 'OTHER', osVersion: { min: '10' } }, true],
      [{ platform: 'IOS', osVersion: { min: '10' } }, false],
      [{ osVersion: { min: '18', max: '17' } }, true],
      [{ osVersion: { min: '17.5', max: '17.4.9' } }, true],
      [{ osVersion: { min: '17.5', max: '17' } }, false],
      [{ osVersion: { min: '17', max: '17.0' } }, false],
      [{ osVersion: { min: '9', max: '10' } }, false],
    ];
    for (const [when, isFound] of cases)
      assert.deepEqual(
        idle(when),
        isFound ? [{ place: 0, why: 'version', coveredBy: null }] : [],
        JSON.stringify(when),
      );
  });

  it('no visitor gets a rule that is found', () => {
    const one = <T>(values: readonly T[], seed: number) => values[seed % values.length] as T;
    const conditionsOf = (seed: number): RuleConditions => ({
      ...(seed % 2 === 0 && { platform: one(['IOS', 'ANDROID', 'OTHER'] as const, seed >> 1) }),
      ...((seed >> 3) % 2 === 0 && { country: one(['DE', ['DE', 'AT'], 'FR'], seed >> 4) }),
      ...((seed >> 6) % 2 === 0 && { language: one(['de', 'de-AT', ['fr', 'de']], seed >> 7) }),
      ...((seed >> 9) % 2 === 0 && {
        osVersion: one([{ min: '16' }, { max: '17' }, { min: '17.1' }, { min: '18', max: '17' }], seed >> 10),
      }),
      ...((seed >> 12) % 3 === 0 && { query: one([{ a: null }, { a: '1' }], seed >> 13) }),
    });
    let found = 0;
    for (let seed = 1; seed < 40_000; seed += 7) {
      const rules = [conditionsOf(seed * 31), conditionsOf(seed * 17 + 5), conditionsOf(seed * 13)].map(rule);
      const places = rulesThatNeverWin(rules, NOW_MS).map(({ place }) => place);
      found += places.length;
      for (let tap = 0; tap < 6 && places.length > 0; tap++) {
        const version = one(['15.2', '16.4', '17', '17.2', '18'], seed + tap);
        const platform = one(['IOS', 'ANDROID', 'OTHER'] as const, seed + tap);
        const visit: RuleVisit = {
          platform,
          osVersion: platform === 'OTHER' ? null : { least: version, most: version },
          language: one(['de', 'de-AT', 'fr', 'en'], seed + 3 * tap),
          country: one(['DE', 'AT', 'FR'], seed + 5 * tap),
          query: new Map(one([[], [['a', '1']], [['a', '2']]] as [string, string][][], seed + tap)),
          atMs: NOW_MS,
          id: String(seed),
        };
        const winner = chooseRule(rules, visit);
        assert.ok(winner === null || !places.includes(winner), JSON.stringify({ rules, visit }));
      }
    }
    assert.ok(found > 100, String(found));
  });
});
