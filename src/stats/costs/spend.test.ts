import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addPending, type Counts, noCounts } from '../add-counts.ts';
import type { SpendName } from '../counts.ts';
import { byMetric } from '../metrics.ts';
import type { Pending } from '../pending.ts';
import { presentSpend } from './spend.ts';

/** @param cost, revenue in ten-thousandths by currency. */
function countsOf(
  cost: Readonly<Record<string, bigint>> | null,
  installs = 0,
  revenue: Readonly<Record<string, string>> = {},
): Counts {
  const counts = noCounts();
  const add = (record: Partial<Pending>) => addPending(counts, { ...NOTHING, ...record });
  if (installs > 0) add({ kind: 'install', method: 'CLICK_ID', n: installs });
  for (const [currency, amount] of Object.entries(revenue)) add({ kind: 'cohort', currency, amount });
  return cost === null ? counts : { ...counts, cost: new Map(Object.entries(cost)) };
}
const NOTHING = { currency: '', amount: '', n: 1, method: '', visitor: '' } as unknown as Pending;

describe('costs in statistics', () => {
  it('are absent where they are not known, and empty where there are none', () => {
    assert.deepEqual(presentSpend(countsOf(null, 3)), {});
    const none = { cost: [], costPerInstall: [], returnOnAdSpend: [] };
    assert.deepEqual(presentSpend(countsOf({}, 3, { EUR: '5' })), none);
  });

  const RATIOS: readonly (readonly [
    name: string,
    counts: Counts,
    costPerInstall: readonly string[],
    returnOnAdSpend: readonly string[],
  ])[] = [
    ['are exact', countsOf({ EUR: 100_0000n }, 8, { EUR: '250' }), ['EUR 12.50'], ['EUR 2.5']],
    [
      'are rounded to four decimals',
      countsOf({ EUR: 10_0000n }, 3, { EUR: '10.0001' }),
      ['EUR 3.3333'],
      ['EUR 1'],
    ],
    ['are rounded up from the half', countsOf({ EUR: 1n }, 2), ['EUR 0.0001'], ['EUR 0']],
    ['divide by attributed installs alone', countsOf({ EUR: 1_0000n }, 0, { EUR: '3' }), [], ['EUR 3']],
    [
      'stay within their currency',
      countsOf({ USD: 4_0000n, EUR: 2_0000n }, 1, { EUR: '-1', JPY: '500' }),
      ['EUR 2.00', 'USD 4.00'],
      ['EUR -0.5', 'USD 0'],
    ],
  ];
  it('leave revenue of organic installs out of the return', () => {
    const counts = {
      ...countsOf({ EUR: 2_0000n }, 1, { EUR: '10' }),
      organic: { installs: 0, revenue: new Map([['EUR', 6_0000n]]) },
    };
    assert.deepEqual(presentSpend(counts).returnOnAdSpend, [{ currency: 'EUR', ratio: 2 }]);
  });

  for (const [name, counts, each, returns] of RATIOS)
    it(`the cost of an install and the return ${name}`, () => {
      const { costPerInstall = [], returnOnAdSpend = [] } = presentSpend(counts);
      assert.deepEqual(
        costPerInstall.map(({ currency, amount }) => `${currency} ${amount}`),
        each,
      );
      assert.deepEqual(
        returnOnAdSpend.map(({ currency, ratio }) => `${currency} ${ratio}`),
        returns,
      );
    });

  it('sort groups in the currency that most of them have, then in the next, those without a value last', () => {
    const groups = [
      countsOf(null, 9),
      countsOf({}, 9),
      countsOf({ USD: 90_0000n }, 1, { USD: '1' }),
      countsOf({ EUR: 30_0000n }, 0, { EUR: '3000' }),
      countsOf({ EUR: 20_0000n }, 1, { EUR: '20' }),
    ];
    const totals = countsOf({ USD: 90_0000n, EUR: 50_0000n });
    const sortedBy = (name: SpendName) =>
      groups.toSorted(byMetric(name, totals, groups)).map((counts) => groups.indexOf(counts));
    assert.deepEqual(sortedBy('cost').slice(0, 3), [3, 4, 2]);
    assert.deepEqual(sortedBy('cost').at(-1), 0);
    assert.deepEqual(sortedBy('costPerInstall')[0], 4);
    assert.deepEqual(sortedBy('returnOnAdSpend').slice(0, 2), [3, 4]);
  });
});
