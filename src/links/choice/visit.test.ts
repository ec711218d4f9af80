import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseRule, RULE_PLATFORMS } from './rules.ts';
import { visitOfApp } from './visit.ts';

const REQUEST = { country: null, query: new Map(), atMs: 0, id: 'a', rest: null };

describe('the visit of an app', () => {
  it('an app that does not tell its platform gets no rule for one, and others as any visitor does', () => {
    const rules = [
      ...RULE_PLATFORMS.map((platform) => ({ when: { platform }, then: { campaignId: platform } })),
      { when: {}, then: { campaignId: 'any' } },
    ];
    for (const report of [null, { platform: '' }, { platform: 'web' }])
      assert.equal(chooseRule(rules, visitOfApp(report, REQUEST)), 3);
    assert.equal(chooseRule(rules, visitOfApp({ platform: 'ios' }, REQUEST)), 0);
    assert.equal(chooseRule(rules, visitOfApp({ platform: 'ANDROID' }, REQUEST)), 1);
  });
});
