import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Amount, changeOf, compare, isNoLoss, rankCurrencies } from './amounts.ts';
import { columnOf } from './columns.ts';

const sums = (text: string): Amount[] =>
  text.split(' ').flatMap((sum) => {
    const [, currency, value] = /^([A-Z]+)(\d+)$/.exec(sum) ?? [];
    return currency === undefined ? [] : [{ currency, value: Number(value) }];
  });

describe('money of two periods', () => {
  for (const [now, before, order, expected] of [
    ['EUR10 USD5', 'EUR8 USD4', 'EUR USD', 'EUR 10/8, USD 5/4'],
    ['EUR10', 'USD4', 'EUR USD', 'EUR 10/0, USD 0/4'],
    ['USD5', 'EUR8', 'USD EUR', 'USD 5/0, EUR 0/8'],
    ['CHF1 EUR2 AUD3', '', 'EUR CHF AUD', 'EUR 2/0, CHF 1/0, AUD 3/0'],
    // No zero in a currency that the row does not have.
    ['EUR0', 'EUR0', 'EUR', 'null null/null'],
    ['', '', 'EUR', 'null null/null'],
  ] as const)
    it(`compares each currency with itself: “${now}” with “${before}”`, () => {
      const compared = compare(sums(now), sums(before), { unit: 'money', order: order.split(' ') });
      const text = compared.map((each) => `${each.currency} ${each.now}/${each.before}`).join(', ');
      assert.equal(text, expected);
    });

  for (const [rows, totals, expected] of [
    // One sale in a currency of small units stays one sale.
    ['JPY90000:1 EUR5:1 EUR4:1', 'EUR9 JPY90000', 'EUR JPY'],
    ['BRL500:1 EUR5:9', 'EUR5 BRL500', 'EUR BRL'],
    ['EUR5:1 USD6:1', 'EUR5 USD6', 'USD EUR'],
    ['EUR0:1', 'USD1', 'USD'],
    ['', '', ''],
  ] as const)
    it(`has the currency of most rows first, then of most paying installs, then the largest: “${rows}”`, () => {
      const all = rows.split(' ').map((row) => {
        const [amounts = '', paying = 0] = row.split(':');
        return { amounts: sums(amounts), payingInstalls: Number(paying) };
      });
      assert.equal(rankCurrencies(all, sums(totals)).join(' '), expected);
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

  it('is no loss where the installs of the period before had more time to pay', () => {
    const fall = { direction: 'down', text: '36.9%' } as const;
    const answers = (['payingInstalls', 'cohortRevenue', 'revenue', 'installs'] as const).map((name) =>
      isNoLoss(fall, columnOf(name)),
    );
    assert.deepEqual(answers, [true, true, false, false]);
    assert.equal(isNoLoss({ direction: 'up', text: '2.0%' }, columnOf('payingInstalls')), false);
  });
});
