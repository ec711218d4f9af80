import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import type { Stats, StatsInterval } from '@generated/types.gen.ts';
import { formatPrevious, intervalNames, ticksOf } from './time.ts';

function seriesOf(
  interval: Stats['interval'],
  [from, to]: readonly [string, string],
  { starts, isPartial = false }: { starts: readonly string[]; isPartial?: boolean },
) {
  const series = starts.map((at, index) => ({
    at,
    ...(isPartial && index === starts.length - 1 && { partial: true }),
  }));
  return { interval, from, to, series: series as unknown as StatsInterval[] };
}

const hours = (day: string, count: number) =>
  Array.from({ length: count }, (_, hour) => `${day}T${String(hour).padStart(2, '0')}:00:00+01:00`);
const days = (first: number, count: number) =>
  Array.from({ length: count }, (_, day) => `2026-11-${String(first + day).padStart(2, '0')}T00:00:00+01:00`);

// Days of other years have their year.
before(() => mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') }));
after(() => mock.timers.reset());

describe('the intervals of a chart', () => {
  for (const [name, stats, expected] of [
    [
      'hours, in the zone of the statistics',
      seriesOf('hour', ['2026-11-26', '2026-11-26'], { starts: hours('2026-11-26', 2), isPartial: true }),
      ['Thu, Nov 26, 12:00 AM', 'Thu, Nov 26, 1:00 AM, so far'],
    ],
    [
      'days',
      seriesOf('day', ['2026-11-25', '2026-11-26'], { starts: days(25, 2), isPartial: true }),
      ['Wed, Nov 25', 'Thu, Nov 26, so far'],
    ],
    [
      'weeks, of which the period cuts the first',
      seriesOf('week', ['2026-11-12', '2026-11-22'], {
        starts: [days(12, 1), days(16, 1)].flat(),
      }),
      ['Nov 12 to Nov 15', 'Nov 16 to Nov 22'],
    ],
    [
      'months, of which the period cuts the last',
      seriesOf('month', ['2026-10-01', '2026-11-12'], {
        starts: ['2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00'],
      }),
      ['October 2026', 'Nov 1 to Nov 12'],
    ],
  ] as const)
    it(`are named by what they count: ${name}`, () => {
      const names = intervalNames(stats).map((each) => each.replaceAll('\u202f', ' '));
      assert.deepEqual(names, expected);
    });

  it('of today are hours on the axis, up to now', () => {
    const stats = seriesOf('hour', ['2026-11-26', '2026-11-26'], {
      starts: hours('2026-11-26', 19),
      isPartial: true,
    });
    assert.deepEqual(
      ticksOf(stats).map(([index, text]) => [index, text.replaceAll('\u202f', ' ')]),
      [
        [0, '12:00 AM'],
        [6, '6:00 AM'],
        [12, '12:00 PM'],
        [18, 'This hour, so far'],
      ],
    );
  });

  it('of the first six hours of today are four on the axis, of which narrow screens leave out the last but one', () => {
    const stats = seriesOf('hour', ['2026-11-26', '2026-11-26'], {
      starts: hours('2026-11-26', 6),
      isPartial: true,
    });
    assert.deepEqual(
      ticksOf(stats).map(([index]) => index),
      [0, 2, 4, 5],
    );
  });

  it('of hours over several days have the days on the axis, at their midnights', () => {
    const starts = [...hours('2026-11-24', 24), ...hours('2026-11-25', 24), ...hours('2026-11-26', 9)];
    const stats = seriesOf('hour', ['2026-11-24', '2026-11-26'], { starts, isPartial: true });
    assert.deepEqual(
      ticksOf(stats).map(([index]) => index),
      [0, 24, 48, 56],
    );
  });

  it('of days are whole weeks apart on the axis, so that they share a weekday', () => {
    const stats = seriesOf('day', ['2026-11-01', '2026-11-28'], { starts: days(1, 28) });
    assert.deepEqual(
      ticksOf(stats).map(([index]) => index),
      [0, 7, 14, 21, 27],
    );
  });

  it('are none where no interval has begun', () => {
    assert.deepEqual(ticksOf(seriesOf('day', ['2026-12-01', '2026-12-05'], { starts: [] })), []);
  });

  it('are one point in the first hour of a day', () => {
    const stats = seriesOf('hour', ['2026-11-26', '2026-11-26'], {
      starts: hours('2026-11-26', 1),
      isPartial: true,
    });
    assert.deepEqual(ticksOf(stats), [[0, 'This hour, so far']]);
  });
});

describe('what a period is compared with', () => {
  for (const [from, to, expected] of [
    ['2026-10-01T00:00:00+02:00', '2026-10-26T00:00:00+02:00', 'Oct 1 to Oct 25'],
    [
      '2026-10-01T00:00:00+02:00',
      '2026-10-25T14:05:00+01:00',
      'Oct 1 to Oct 25, up to the same time (2:05 PM)',
    ],
    ['2026-11-24T00:00:00+01:00', '2026-11-24T10:30:00+01:00', 'Nov 24, up to the same time (10:30 AM)'],
    ['2025-12-01T00:00:00+01:00', '2026-01-01T00:00:00+01:00', 'Dec 1, 2025 to Dec 31, 2025'],
  ] as const)
    it(`is said in words: ${expected}`, () => {
      assert.equal(formatPrevious({ from, to }).replaceAll('\u202f', ' '), expected);
    });
});
