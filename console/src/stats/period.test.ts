import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenPreset, isAhead, momentsOf, type PeriodSearch, periodOf, unreadOf } from './period.ts';

/** 1:30 on the 1st of March in Berlin, still February in UTC. */
const NOW = Date.parse('2026-03-01T00:30:00Z');
const BERLIN = { tz: 'Europe/Berlin' };

describe('the period of an address', () => {
  for (const [search, from, to] of [
    [{ days: '1' }, '2026-03-01', '2026-03-01'],
    [{ days: '1', tz: 'America/New_York' }, '2026-02-28', '2026-02-28'],
    [{ days: 'yesterday' }, '2026-02-28', '2026-02-28'],
    [{ days: '7' }, '2026-02-23', '2026-03-01'],
    [{ days: '14' }, '2026-02-16', '2026-03-01'],
    [{}, '2026-02-02', '2026-03-01'],
    [{ days: '30' }, '2026-01-31', '2026-03-01'],
    [{ days: '90' }, '2025-12-02', '2026-03-01'],
    [{ days: 'month' }, '2026-03-01', '2026-03-01'],
    [{ days: 'last-month' }, '2026-02-01', '2026-02-28'],
    [{ days: '91' }, '2025-12-01', '2026-03-01'],
    [{ from: '2026-01-05', to: '2026-01-06' }, '2026-01-05', '2026-01-06'],
    // What cannot be read counts as not given.
    [{ days: 'many' }, '2026-02-02', '2026-03-01'],
    [{ days: '9999' }, '2026-02-02', '2026-03-01'],
    [{ from: '2026-02-30', to: '2026-03-02' }, '2026-02-02', '2026-03-01'],
    [{ from: '2026-03-02', to: '2026-03-01' }, '2026-02-02', '2026-03-01'],
    [{ from: '2020-01-01', to: '2026-01-01' }, '2026-02-02', '2026-03-01'],
    [{ from: 'x', to: 'y' }, '2026-02-02', '2026-03-01'],
  ] as const satisfies readonly (readonly [PeriodSearch, string, string])[])
    it(`of ${JSON.stringify(search)} is ${from} to ${to}`, () => {
      const period = periodOf({ ...BERLIN, ...search }, NOW);
      assert.deepEqual([period.from, period.to], [from, to]);
    });

  for (const [search, expected] of [
    [{}, null],
    [{ days: 'month', tz: 'Asia/Tokyo' }, null],
    [{ days: '91' }, null],
    [{ from: '2026-01-05', to: '2026-01-06' }, null],
    [{ from: '2026-11-31', to: '2026-12-02' }, 'no day is “2026-11-31”'],
    [{ from: '2026-11-01', to: '9999-12-31' }, 'no day is “9999-12-31”'],
    [{ from: 'x' }, 'it names one day of two'],
    [{ from: '2026-03-02', to: '2026-03-01' }, 'its first day is after the last'],
    [{ from: '2020-01-01', to: '2026-01-01' }, 'its days are more than 366'],
    [{ days: 'many', tz: 'Mars/Base' }, 'no period is “many”, and no time zone is “Mars/Base”'],
  ] as const satisfies readonly (readonly [PeriodSearch, string | null])[])
    it(`says what it cannot read of ${JSON.stringify(search)}: ${expected}`, () => {
      assert.equal(unreadOf(search), expected);
    });

  it('is ahead if none of its days has begun in its zone', () => {
    const at = (from: string, timezone: string) => isAhead({ from, to: '2026-03-05', timezone }, NOW);
    assert.equal(at('2026-03-02', 'Europe/Berlin'), true);
    assert.equal(at('2026-03-01', 'Europe/Berlin'), false);
    assert.equal(at('2026-03-01', 'America/New_York'), true);
  });

  it('has the viewer’s zone where the address names none that exists', () => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    assert.equal(periodOf({ tz: 'Mars/Olympus' }).timezone, own);
    assert.equal(periodOf({ tz: 'Asia/Tokyo' }).timezone, 'Asia/Tokyo');
  });

  it('is a preset unless its days were chosen', () => {
    assert.equal(chosenPreset({ days: 'month' }), 'month');
    assert.equal(chosenPreset({ from: '2026-01-05', to: '2026-01-06' }), null);
    assert.equal(chosenPreset({ from: 'x', to: '2026-01-06' }), '28');
  });

  it('begins and ends at midnights of its zone, also around a change of its clock', () => {
    const period = { from: '2026-03-29', to: '2026-03-29', timezone: 'Europe/Berlin' };
    assert.deepEqual(momentsOf(period), {
      from: '2026-03-28T23:00:00.000Z',
      to: '2026-03-29T22:00:00.000Z',
    });
  });
});
