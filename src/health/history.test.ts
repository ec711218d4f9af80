import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { createLog } from '../lib/log.ts';
import { TAP_ROUTE } from '../redirect/index.ts';
import { requestDurations } from '../server/metrics.ts';
import { attemptCounter } from '../webhooks/index.ts';
import { createHistory, QUARTER_MS } from './history.ts';
import { percentileMs, quartersBetween } from './quarters.ts';

const NOON_MS = Date.parse('2026-11-20T12:00:00Z');

describe('the last day of a process', () => {
  it('counts each quarter hour by itself, keeps a day, and fills what it slept through with zeros', async () => {
    const metrics = new Registry();
    let nowMs = NOON_MS;
    const attempts = attemptCounter({ metrics });
    const history = createHistory({
      clock: { nowMs: () => nowMs },
      config: { dataDir: '.' },
      log: createLog('fatal'),
      metrics,
    });
    const durations = requestDurations({ metrics });
    const tap = (status: number) => durations.of({ method: 'GET', route: TAP_ROUTE, status });
    for (const status of [302, 200, 404, 503]) tap(status).observe(0.003);
    durations.of({ method: 'POST', route: '/v1/sdk/install', status: 500 }).observe(1);
    attempts.inc({ outcome: 'failed' }, 2);
    attempts.inc({ outcome: 'delivered' }, 5);
    const [first] = await history.quarters();
    assert.deepEqual(
      [first?.atMs, first?.redirects, first?.serverErrors, first?.deliveriesFailed],
      [NOON_MS, 2, 2, 2],
    );
    assert.ok(Number(first?.redirectP95Ms) > 2.5 && Number(first?.redirectP95Ms) <= 5);
    assert.ok(Number(first?.memoryBytes) > 1_000_000 && Number(first?.diskFreeBytes) > 0);
    nowMs += 3 * QUARTER_MS;
    await history.quarters();
    tap(302).observe(0.02);
    const later = await history.quarters();
    assert.deepEqual(
      later.map(({ atMs, redirects }) => [(atMs - NOON_MS) / QUARTER_MS, redirects]),
      [
        [0, 2],
        [1, 0],
        [2, 0],
        [3, 1],
      ],
    );
    nowMs += 1_000 * QUARTER_MS;
    const last = await history.quarters();
    assert.equal(last.length, 97);
    assert.equal(last.at(-1)?.atMs, nowMs);
    await history.stop();
  });

  const cases: readonly [counts: readonly number[], share: number, ms: number | null][] = [
    [[], 0.95, null],
    [[0, 0], 0.95, null],
    [[100], 0.95, 0.95],
    [[0, 10], 0.5, 1.75],
    [[90, 10], 0.95, 1.75],
    // Beyond the last bucket there is no end.
    [[...Array.from({ length: 12 }, () => 0), 3], 0.95, 5_000],
  ];
  for (const [counts, share, ms] of cases)
    it(`${share} of [${counts}] took at most ${ms} ms`, () => assert.equal(percentileMs(counts, share), ms));

  it('no quarter hour lies between neighbours, or before the one that a clock leapt back from', () => {
    assert.deepEqual(quartersBetween(0, 15, 15), []);
    assert.deepEqual(quartersBetween(30, 0, 15), []);
    assert.deepEqual(quartersBetween(0, 45, 15), [15, 30]);
  });
});
