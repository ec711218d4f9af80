import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRules } from './check-rules.ts';
import type { RuleConditions } from './rules.ts';

const check = (when: RuleConditions) => checkRules([{ when, then: { campaignId: 'c' } }]);

describe('rules that a link cannot have', () => {
  it('a country that ISO 3166 does not have is refused, with its present code where it has one', () => {
    for (const country of ['GB', 'XK', ['DE', 'AT'], 'CX', 'TF']) check({ country });
    for (const [country, message] of [
      ['UK', /^rules\.0\.when\.country has UK, .* Send GB\.$/],
      [['DE', 'XX'], / has XX, .* Send a code such as DE\.$/],
      ['EU', / has EU, /],
      ['SU', / has SU, .* Send RU\.$/],
    ] as const)
      assert.throws(() => check({ country: [country].flat() }), { code: 'request.invalid', message });
  });

  it('a highest version below the lowest one is refused', () => {
    check({ osVersion: { min: '17.5', max: '17' } });
    assert.throws(() => check({ osVersion: { min: '18', max: '17.9' } }), {
      code: 'request.invalid',
      message: 'rules.0.when.osVersion.max must not be lower than min.',
    });
  });
});
