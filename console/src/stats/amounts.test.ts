import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Amount, changeOf, compare, mainCurrency } from './amounts.ts';

const sums = (text: string): Amount[] =>
  text.split(' ').flatMap((sum) => {
    const [, currency, value] = /^([A-Z]+)(\d+)$/.exec(sum) ?? [];
    return currency === undefined ? [] : [{ currency, value: Number(value) }];
  });

describe('money of two periods', () => {
  for (const [now, before, main, expected] of [
    ['EUR10 USD5', 'EUR8 USD4', 'EUR', 'EUR 10/8, USD 5/4'],
    ['EUR10', 'USD4', 'EUR', 'EUR 10/0, USD 0/4'],
    ['USD5', 'EUR8', 'USD', 'USD 5/0, EUR 0/8'],
    ['CHF1 EUR2 AUD3', '', 'EUR', 'EUR 2/0, AUD 3/0, CHF 1/0'],
    ['EUR0', 'EUR0', 'EUR', 'EUR 0/0'],
    ['', '', null, 'null null/null'],
  ] as const)
    it(`compares each currency with itself: “${now}” with “${before}”`, () => {
      const compared = compare(sums(now), sums(before), { unit: 'money', main });
      const text = compared.map((each) => `${each.currency} ${each.now}/${each.before}`).join(', ');
      assert.equal(text, expected);
    });

  it('of costs that nobody told are no zero', () => {
    const [cost] = compare([], [], { unit: 'money', main: 'EUR', isOfCosts: true });
    assert.equal(cost?.now, null);
  });

  it('has the largest currency of this period first, or of the one before where this has none', () => {
    assert.equal(mainCurrency(sums('EUR1 USD9'), sums('EUR99')), 'USD');
    assert.equal(mainCurrency(sums('EUR0'), sums('USD1')), 'USD');
    assert.equal(mainCurrency([], []), null);
  });
});

describe('a change', () => {
  for (const [now, before, unit, expected] of [
    [112, 100, 'count', 'up 12.0%'],
    [50, 100, 'money', 'down 50.0%'],
    [5, 5, 'count', 'same 0.0%'],
    [5, 0, 'count', 'up new'],
    [0, 5, 'count', 'down 100.0%'],
    [0, 0, 'count', null],
    [0.53, 0.5, 'share', 'up 3.0 pts'],
    [0.53, null, 'share', null],
    [null, 3, 'money', null],
  ] as const)
    it(`from ${before} to ${now} (${unit}) is ${expected}`, () => {
      const change = changeOf({ now, before }, unit);
      assert.equal(change === null ? null : `${change.direction} ${change.text}`, expected);
    });
});
