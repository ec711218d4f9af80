import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isoTime, startOf } from './clock.ts';

const at = (text: string) => Date.parse(text);

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
