import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImportedLink } from '../../links/import/imported-row.ts';
import { expectedOf } from './expected.ts';
import { visitorOf } from './visitors.ts';

const APP_STORE = 'https://apps.apple.com/app/id1';
const PLAY = 'https://play.google.com/store/apps/details?id=com.shop';
const SHOP = 'https://shop.example/sale';
const PAST = '2020-01-01T00:00:00.000Z';

type Input = Partial<ImportedLink['input']> | null;
const expected = (input: Input, name: Parameters<typeof visitorOf>[0] = 'iphone') => {
  const link = { line: 2, origin: null, path: 'sale', input: input && { deepLinkPath: '/sale', ...input } };
  const { answer } = expectedOf(link, visitorOf(name, 'en'));
  return answer.kind === 'leads' ? answer.to : answer.kind === 'card' ? answer.card.title : answer.kind;
};

describe('what a file expects of a link', () => {
  it('is the destination of the visitor’s phone, else the fallback; and for a chat the link’s card', () => {
    const input = { iosDestination: APP_STORE, androidDestination: PLAY, fallbackUrl: SHOP, ogTitle: 'Sale' };
    const all = (['iphone', 'android', 'in-app', 'computer', 'chat'] as const).map((name) =>
      expected(input, name),
    );
    assert.deepEqual(all, [APP_STORE, PLAY, PLAY, SHOP, 'Sale']);
    assert.equal(expected({ fallbackUrl: SHOP }), SHOP);
  });

  it('is that an ended link stays ended, or leads where expired links lead', () => {
    const ended = { expiresAt: PAST, fallbackUrl: SHOP, iosDestination: APP_STORE };
    assert.equal(expected({ ...ended, goneWhenExpired: true, expiredUrl: SHOP }), 'ended');
    assert.equal(expected(ended), SHOP);
    assert.equal(
      expected({ ...ended, expiredUrl: 'https://shop.example/over' }),
      'https://shop.example/over',
    );
    assert.equal(expected({ expiresAt: PAST }), 'ended');
    assert.equal(expected({ ...ended, expiresAt: '9000-01-01T00:00:00.000Z' }), APP_STORE);
  });

  it('is unknown for rules, for a link without a destination, and for a list of addresses', () => {
    const rules = [{ when: {}, then: { fallbackUrl: SHOP } }];
    for (const input of [{ fallbackUrl: SHOP, rules }, {}, null])
      assert.equal(expected(input), 'unreachable');
  });
});
