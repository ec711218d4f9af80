import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMoment, isoTime, startOf } from './clock.ts';

const at = (text: string) => Date.parse(text);

describe('a moment', () => {
  it('is a time with a zone on a day that exists', () => {
    for (const text of ['2026-02-28T10:00:00Z', '2028-02-29T10:00:00.5+01:00', '2026-12-31T23:59:59-0800'])
      assert.ok(isMoment(text), text);
    for (const day of ['2026-02-29', '2026-02-30', '2026-04-31', '2026-11-31', '2026-13-01', '2026-00-10'])
      for (const time of ['T10:00:00Z', 'T10:00:00.000+02:00', 'T00:00:00-0500'])
        assert.ok(!isMoment(day + time), day + time);
    for (const text of ['2026-02-28', '2026-02-28T10:00:00', 'tomorrow', ''])
      assert.ok(!isMoment(text), text);
  });
});

describe('the start of a day or month', () => {
  it('is in UTC and inclusive', () => {
    for (const text of ['2026-02-28T00:00:00.000Z', '2026-02-28T23:59:59.999Z']) {
      assert.equal(isoTime(startOf('day', at(text))), '2026-02-28T00:00:00.000Z');
      assert.equal(isoTime(startOf('month', at(text))), '2026-02-01T00:00:00.000Z');
    }
  });

  it('can be of a later period, across months and years', () => {
    assert.equal(isoTime(startOf('day', at('2028-02-28T12:00:00Z'), 2)), '2028-03-01T00:00:00.000Z');
    assert.equal(isoTime(startOf('month', at('2026-01-31T12:00:00Z'), 1)), '2026-02-01T00:00:00.000Z');
    assert.equal(isoTime(startOf('month', at('2026-12-31T12:00:00Z'), 1)), '2027-01-01T00:00:00.000Z');
  });
});
