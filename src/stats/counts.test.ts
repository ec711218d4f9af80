import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addColumns,
  addCounts,
  addPending,
  addStored,
  type Counts,
  countOf,
  creditedBy,
  isEmpty,
  moneyOf,
  noCounts,
  type StoredCounts,
  storeCounts,
  toColumns,
} from './add-counts.ts';
import { BY_NAME, columnOf, INTEGERS, METRICS, MONEY } from './counts.ts';
import { byMetric, metricFields, presentMetrics } from './metrics.ts';
import type { Pending } from './pending.ts';

const RECORD: Pending = {
  ...{ sandbox: 0, minute: '2026-01-31T23:59', kind: 'click', link_id: null, campaign_id: '', platform: '' },
  ...{
    method: '',
    visitor: '',
    country: '',
    referrer: '',
    utm: '',
    event_name: '',
    currency: '',
    amount: '',
  },
  ...{ cohort_day: '', n: 1, platform_version: '', app_version: '' },
  ...{ network: '', network_campaign: '', network_campaign_name: '' },
};
const PURCHASE = { currency: 'EUR', amount: '19.99' };

function countsOf(...records: Partial<Pending>[]): Counts {
  const counts = noCounts();
  for (const record of records) addPending(counts, { ...RECORD, ...record });
  return counts;
}

/** Names of counts that are not 0. */
function counted(record: Partial<Pending>): string[] {
  const counts = countsOf(record);
  return Object.entries(BY_NAME).flatMap(([name, count]) => {
    if (!('place' in count)) return [];
    const value = count.isMoney ? counts.money[count.place]?.size : counts.integers[count.place];
    return value ? [name] : [];
  });
}

describe('the declaration of counts', () => {
  it('gives each count a place and a column of its own, without gaps', () => {
    for (const counts of [INTEGERS, MONEY])
      assert.deepEqual(
        counts.map(({ place }) => place),
        counts.map((_, index) => index),
      );
    const columns = [...INTEGERS, ...MONEY].map(({ column }) => column);
    assert.equal(new Set(columns).size, columns.length);
  });

  it('keeps the places under which cells are stored', () => {
    assert.deepEqual(
      INTEGERS.map(({ column }) => column),
      [
        ...['clicks', 'other_clicks', 'installs', 'attributed_installs', 'opens', 'direct_opens', 'events'],
        ...['credited_events', 'tool_clicks', 'existing_users', 'paying_installs', 'first_purchases'],
        'network_installs',
      ],
    );
    assert.deepEqual(
      MONEY.map(({ column }) => column),
      ['revenue', 'credited_revenue', 'cohort_revenue', 'network_cohort_revenue'],
    );
  });

  it('names only declared counts, for credits and differences', () => {
    const named = Object.values(BY_NAME).flatMap((count) => {
      if ('place' in count) return count.last ?? [];
      return 'minuend' in count ? [count.minuend, count.subtrahend] : [];
    });
    for (const name of named) assert.ok(BY_NAME[name], name);
  });

  it('gives each metric a field of the schema, a value and an order', () => {
    assert.deepEqual(METRICS, [
      ...['clicks', 'otherClicks', 'installs', 'attributedInstalls', 'organicInstalls', 'networkInstalls'],
      ...[
        'existingUsers',
        'opens',
        'directOpens',
        'events',
        'revenue',
        'payingInstalls',
        'cohortRevenue',
        'firstPurchases',
      ],
      ...['cost', 'costPerInstall', 'returnOnAdSpend'],
    ]);
    assert.deepEqual(Object.keys(metricFields), METRICS);
    assert.deepEqual(Object.keys(presentMetrics(noCounts())), METRICS);
    for (const name of METRICS) assert.equal(byMetric(name, noCounts())(noCounts(), noCounts()), 0, name);
  });
});

describe('a record adds', () => {
  for (const [record, names] of [
    [{ visitor: 'human' }, ['clicks']],
    [{ visitor: 'crawler' }, ['otherClicks']],
    [{ visitor: 'tool' }, ['otherClicks', 'toolClicks']],
    [{ kind: 'install', method: 'ORGANIC' }, ['installs']],
    [{ kind: 'install', method: 'CLICK_ID' }, ['installs', 'attributedInstalls']],
    [{ kind: 'existing', method: 'ORGANIC' }, ['existingUsers']],
    [{ kind: 'open', method: 'CLICK_ID' }, ['opens']],
    [{ kind: 'open', method: 'DIRECT' }, ['opens', 'directOpens']],
    [{ kind: 'event' }, ['events']],
    [{ kind: 'event', ...PURCHASE }, ['events', 'revenue']],
    [{ kind: 'credited', ...PURCHASE }, ['creditedEvents', 'creditedRevenue']],
    [{ kind: 'active' }, []],
    [{ kind: 'cohort', ...PURCHASE }, ['cohortRevenue']],
    [{ kind: 'cohort', network: 'meta', ...PURCHASE }, ['cohortRevenue', 'networkCohortRevenue']],
    [{ kind: 'install', method: 'ORGANIC', network: 'meta' }, ['installs', 'networkInstalls']],
    [{ kind: 'existing', method: 'ORGANIC', network: 'meta' }, ['existingUsers']],
    [{ kind: 'event', network: 'meta' }, ['events']],
    [{ kind: 'paying' }, ['payingInstalls']],
    [{ kind: 'firstPurchase' }, ['firstPurchases']],
  ] as [Partial<Pending>, string[]][])
    it(`${names.join(', ') || 'nothing'} for ${JSON.stringify(record)}`, () => {
      assert.deepEqual(counted(record), names);
    });

  it('its number and its exact amount, and takes them back with a negative number', () => {
    const event = { kind: 'event', currency: 'EUR', amount: '999999999999.9999' } as const;
    const counts = countsOf({ ...event, n: 3 });
    assert.equal(countOf(counts, 'events'), 3);
    assert.deepEqual(presentMetrics(counts).revenue, [{ currency: 'EUR', amount: '2999999999999.9997' }]);
    addPending(counts, { ...RECORD, ...event, n: -3 });
    assert.ok(isEmpty(counts));
  });
});

describe('counts', () => {
  const all = () =>
    countsOf(
      ...[
        { visitor: 'human', n: 5 },
        { kind: 'install' as const, method: 'ORGANIC', n: 2 },
      ],
      ...[
        { kind: 'install' as const, method: 'CLICK_ID' },
        { kind: 'event' as const, ...PURCHASE },
      ],
      ...[{ kind: 'credited' as const, currency: 'JPY', amount: '-500' }, { kind: 'credited' as const }],
    );

  it('are the same after storage as text, and as columns', () => {
    const counts = all();
    const stored: StoredCounts = JSON.parse(JSON.stringify(storeCounts(7, counts)));
    assert.deepEqual(stored, [7, [5, 0, 3, 1, 0, 0, 1, 2], { EUR: '199900' }, { JPY: '-5000000' }]);
    const fromText = noCounts();
    addStored(fromText, stored);
    const fromColumns = noCounts();
    addColumns(fromColumns, toColumns(counts));
    assert.deepEqual([fromText, fromColumns], [counts, counts]);
    assert.deepEqual(storeCounts(0, countsOf({ visitor: 'human' })), [0, [1]]);
  });

  it('that were stored with fewer counts are read', () => {
    const counts = noCounts();
    addStored(counts, [0, [4], { EUR: '10000' }, {}]);
    addStored(counts, [1, [1, 2]]);
    assert.deepEqual([countOf(counts, 'clicks'), countOf(counts, 'otherClicks')], [5, 2]);
    assert.deepEqual([...moneyOf(counts, 'revenue')], [['EUR', 10_000n]]);
  });

  it('less themselves are empty, and those that were added stay as they are', () => {
    const [counts, more] = [all(), all()];
    addCounts(counts, more, -1);
    assert.ok(isEmpty(counts));
    assert.deepEqual(more, all());
  });

  it('of one credit have its events and revenue, and leave out the other’s', () => {
    const [install, last] = [creditedBy('install', all()), creditedBy('last', all())];
    assert.deepEqual([countOf(install, 'events'), countOf(last, 'events')], [1, 2]);
    assert.deepEqual([...moneyOf(last, 'revenue')], [['JPY', -5_000_000n]]);
    for (const counts of [install, last]) {
      assert.equal(countOf(counts, 'creditedEvents'), 0);
      assert.equal(moneyOf(counts, 'creditedRevenue').size, 0);
    }
    assert.ok(isEmpty(creditedBy('install', countsOf({ kind: 'credited' }))));
    assert.deepEqual(
      [columnOf('events', 'install'), columnOf('events', 'last')],
      ['events', 'credited_events'],
    );
    assert.deepEqual([columnOf('revenue', 'last'), columnOf('organicInstalls', 'install')], [null, null]);
  });

  it('have organic installs as installs less attributed ones', () => {
    assert.equal(countOf(all(), 'organicInstalls'), 2);
    assert.equal(presentMetrics(all()).organicInstalls, 2);
  });

  it('are compared by money in the currency that most groups have, then in the next, whatever their totals', () => {
    const inEuros = (amount: string) => countsOf({ kind: 'event', currency: 'EUR', amount });
    const yen = countsOf({ kind: 'event', currency: 'JPY', amount: '100000' });
    const groups = [yen, noCounts(), inEuros('2'), inEuros('9')];
    const totals = noCounts();
    for (const counts of groups) addCounts(totals, counts);
    const sorted = groups.toSorted(byMetric('revenue', totals, groups));
    assert.deepEqual(
      sorted.map((counts) => groups.indexOf(counts)),
      [3, 2, 0, 1],
    );
  });

  it('are compared by a metric, money of equally common currencies in the one with the largest total', () => {
    const [euros, yen] = [
      countsOf({ kind: 'event', currency: 'EUR', amount: '2' }),
      countsOf({ kind: 'event', currency: 'JPY', amount: '1000', visitor: 'human' }),
    ];
    const totals = noCounts();
    for (const counts of [euros, yen]) addCounts(totals, counts);
    assert.equal(byMetric('revenue', totals)(euros, yen), 1);
    assert.equal(byMetric('revenue', euros)(euros, yen), -1);
    assert.equal(byMetric('clicks', totals)(euros, yen), 0);
  });
});
