import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../errors.ts';
import { intervalAt, intervalsOf, localTime, type PeriodInput, periodBefore, readPeriod } from './periods.ts';

const NOW = '2026-04-10T22:30:00Z';
const read = (input: PeriodInput, now = NOW) =>
  readPeriod({ clock: { nowMs: () => Date.parse(now) } }, input);
const startsOf = (period: ReturnType<typeof read>) => intervalsOf(period).startsMs;
const iso = (ms: number) => new Date(ms).toISOString();
const startsIn = (input: PeriodInput) =>
  startsOf(read(input, '2027-01-01T00:00:00Z')).map((ms) => localTime(input.timezone ?? 'UTC', ms));

describe('a period', () => {
  it('is the last 30 days of its time zone by default', () => {
    assert.deepEqual([read({}).from, read({}).to], ['2026-03-12', '2026-04-10']);
    const kolkata = read({ timezone: 'Asia/Kolkata' });
    assert.deepEqual([kolkata.from, kolkata.to], ['2026-03-13', '2026-04-11']);
  });

  it('lasts from midnight to midnight of its time zone, also where a clock changes', () => {
    const { fromMs, toMs } = read({ from: '2026-03-29', to: '2026-03-29', timezone: 'Europe/Berlin' });
    assert.deepEqual([iso(fromMs), iso(toMs)], ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  });

  it('has as many days before it, which end where it starts', () => {
    const period = read({
      from: '2026-03-20',
      to: '2026-04-02',
      timezone: 'Europe/Berlin',
      interval: 'week',
    });
    const before = periodBefore(period);
    assert.deepEqual([before.from, before.to], ['2026-03-06', '2026-03-19']);
    assert.equal(before.toMs, period.fromMs);
    assert.deepEqual([before.timezone, before.interval], ['Europe/Berlin', 'week']);
  });

  for (const [from, to, now, before] of [
    ['2026-04-01', '2026-04-10', '2026-04-10T12:07:00Z', '2026-03-01T00:00 to 2026-03-10T14:00'],
    ['2026-04-01', '2026-04-30', '2026-05-02T00:00:00Z', '2026-03-01T00:00 to 2026-04-01T00:00'],
    ['2026-03-01', '2026-03-31', '2026-04-02T00:00:00Z', '2026-02-01T00:00 to 2026-03-01T00:00'],
    ['2026-03-01', '2026-03-31', '2026-03-31T10:00:00Z', '2026-02-01T00:00 to 2026-02-28T12:00'],
    ['2026-05-11', '2026-05-17', '2026-06-02T00:00:00Z', '2026-04-11T00:00 to 2026-04-18T00:00'],
  ] as const)
    it(`with compare=month, ${from} to ${to} at ${now} has before it ${before}`, () => {
      const input = { from, to, timezone: 'Europe/Berlin', compare: 'month' } as const;
      const earlier = periodBefore(read(input, now));
      const times = [earlier.fromMs, earlier.toMs].map((ms) => localTime('Europe/Berlin', ms).slice(0, 16));
      assert.equal(times.join(' to '), before);
    });

  it('with compare=month is of one month', () => {
    assert.throws(
      () => read({ from: '2026-03-31', to: '2026-04-01', compare: 'month' }),
      /compare=month is for days of one month/,
    );
  });

  for (const [name, input, starts] of [
    [
      'days',
      { from: '2026-03-28', to: '2026-03-30' },
      ['03-28T00:00:00+01:00', '03-29T00:00:00+01:00', '03-30T00:00:00+02:00'],
    ],
    [
      'weeks, which start on Monday',
      { from: '2026-04-01', to: '2026-04-13', interval: 'week' },
      ['04-01T00:00:00+02:00', '04-06T00:00:00+02:00', '04-13T00:00:00+02:00'],
    ],
    [
      'months',
      { from: '2026-02-27', to: '2026-04-01', interval: 'month' },
      ['02-27T00:00:00+01:00', '03-01T00:00:00+01:00', '04-01T00:00:00+02:00'],
    ],
  ] as const)
    it(`is divided into ${name}, the first from its start`, () => {
      assert.deepEqual(
        startsIn({ ...input, timezone: 'Europe/Berlin' }),
        starts.map((start) => `2026-${start}`),
      );
    });

  it('has 23 or 25 hours on a day on which the clock changes, and each hour starts once', () => {
    const hoursOn = (day: string) =>
      startsOf(read({ from: day, to: day, timezone: 'Europe/Berlin', interval: 'hour' }));
    assert.deepEqual(
      ['2026-03-28', '2026-03-29', '2025-10-26'].map((day) => new Set(hoursOn(day)).size),
      [24, 23, 25],
    );
  });

  for (const [name, days, now, before, starts] of [
    ['a day', '04-10 04-10', '04-10T14:07+02:00', '04-09T14:00+02:00', 15],
    ['a day, at the nearest quarter hour', '04-10 04-10', '04-10T14:08+02:00', '04-09T14:15+02:00', 15],
    ['a day that has just begun', '04-10 04-10', '04-10T00:00+02:00', '04-09T00:00+02:00', 1],
    ['a day that is nearly over', '04-10 04-10', '04-10T23:59:59+02:00', '04-10T00:00+02:00', 24],
    ['days, after the clock went forward', '03-29 03-30', '03-30T12:00+02:00', '03-28T12:00+01:00', 36],
    ['the day on which it went forward', '03-29 03-29', '03-29T12:00+02:00', '03-28T12:00+01:00', 12],
    ['the day after an hour that was skipped', '03-30 03-30', '03-30T02:30+02:00', '03-29T03:30+02:00', 3],
    [
      'the day on which it went back, in the hour that came twice',
      '10-25 10-25',
      '10-25T02:30+01:00',
      '10-24T02:30+02:00',
      4,
    ],
    ['the day after an hour that came twice', '10-26 10-26', '10-26T02:30+01:00', '10-25T02:30+02:00', 3],
    ['days to come', '04-09 04-14', '04-10T06:00+02:00', '04-04T06:00+02:00', 31],
  ] as const)
    it(`of ${name} ends now, and the one before at the same local time`, () => {
      const [from, to] = days.split(' ').map((day) => `2026-${day}`);
      const period = read({ from, to, timezone: 'Europe/Berlin', interval: 'hour' }, `2026-${now}`);
      const earlier = periodBefore(period);
      assert.equal(iso(earlier.toMs), iso(Date.parse(`2026-${before}`)));
      const { startsMs, isLastPartial } = intervalsOf(period);
      assert.deepEqual([startsMs.length, isLastPartial], [starts, true]);
      assert.ok(intervalsOf(earlier).startsMs.every((ms) => ms >= earlier.fromMs && ms < earlier.toMs));
    });

  it('that is over, and the last interval of one that ended at an interval, are not partial', () => {
    const over = read({ from: '2026-04-01', to: '2026-04-02' });
    for (const period of [over, periodBefore(over)])
      assert.deepEqual([intervalsOf(period).isLastPartial, startsOf(period).length], [false, 2]);
    const noon = read({ from: '2026-04-10', to: '2026-04-10', interval: 'hour' }, '2026-04-10T12:00:00Z');
    const earlier = intervalsOf(periodBefore(noon));
    assert.deepEqual([earlier.startsMs.length, earlier.isLastPartial], [12, false]);
    const later = read({ from: '2026-04-10', to: '2026-04-10', interval: 'day' }, '2026-04-10T12:00:00Z');
    assert.equal(intervalsOf(periodBefore(later)).isLastPartial, true);
  });

  it('in the future has no interval, and nothing before it', () => {
    const period = read({ from: '2026-05-01', to: '2026-05-02' });
    const earlier = periodBefore(period);
    assert.deepEqual([startsOf(period), startsOf(earlier)], [[], []]);
    assert.equal(earlier.toMs, earlier.fromMs);
  });

  it('has a moment in the interval that started last', () => {
    const starts = [0, 10, 20];
    assert.deepEqual(
      [0, 9, 10, 19, 20, 99].map((ms) => intervalAt(starts, ms)),
      [0, 0, 1, 1, 2, 2],
    );
  });

  for (const [input, text] of [
    [{ from: '2026-02-30' }, /^from must be a day from 1970 on/],
    [{ to: '1969-12-31' }, /^to must be a day from 1970 on/],
    [{ to: '2026-13-01' }, /^to must be a day from 1970 on/],
    [{ from: '2999-01-01' }, /^from must not be after to/],
    [{ from: '2026-01-02', to: '2026-01-01' }, /^from must not be after to/],
    [{ from: '2025-01-01', to: '2026-01-02' }, /^from and to may be 366 days at most/],
    [{ from: '2026-01-01', to: '2026-01-15', interval: 'hour' }, /^interval=hour is for at most 14 days/],
    [{ timezone: 'Mars/Olympus' }, /^timezone must be a name of the IANA/],
  ] as const)
    it(`is refused for ${JSON.stringify(input)}`, () => {
      assert.throws(
        () => read(input),
        (error) => error instanceof AppError && text.test(error.message),
      );
    });
});
