import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLOCK_TOLERANCE_MS } from './limits.ts';
import { clockLagMs, occurredAtMs } from './occurred-at.ts';

const NOW = '2026-11-25T12:00:00.000Z';
const nowMs = Date.parse(NOW);
const storedAs = (occurredAt: string | null | undefined, sentAt?: unknown) => {
  const ms = occurredAtMs(occurredAt, { nowMs, lagMs: clockLagMs(sentAt, nowMs) });
  return ms === null ? null : new Date(ms).toISOString();
};

describe('occurredAt', () => {
  it('of a wrong clock is corrected by the difference seen at sending', () => {
    for (const [occurredAt, sentAt, expected] of [
      ['1970-01-01T00:00:10Z', '1970-01-01T00:01:00Z', '2026-11-25T11:59:10.000Z'],
      ['1969-12-31T23:59:50Z', '1970-01-01T00:00:00Z', '2026-11-25T11:59:50.000Z'],
      ['2036-11-25T11:00:00Z', '2036-11-25T12:00:00Z', '2026-11-25T11:00:00.000Z'],
      ['2026-11-25T12:30:00+02:00', '2026-11-25T13:00:00+02:00', '2026-11-25T11:30:00.000Z'],
      ['2026-11-25T08:58:00Z', '2026-11-25T09:00:00Z', '2026-11-25T11:58:00.000Z'],
    ])
      assert.equal(storedAs(occurredAt, sentAt), expected, `${occurredAt} sent at ${sentAt}`);
  });

  it('is not changed for the time that a request takes', () => {
    for (const differenceMs of [0, 1, -1, CLOCK_TOLERANCE_MS, -CLOCK_TOLERANCE_MS]) {
      const sentAt = new Date(nowMs - differenceMs).toISOString();
      assert.equal(
        storedAs('2026-11-25T11:00:00Z', sentAt),
        '2026-11-25T11:00:00.000Z',
        String(differenceMs),
      );
    }
    const late = new Date(nowMs - CLOCK_TOLERANCE_MS - 1).toISOString();
    assert.equal(storedAs('2026-11-25T11:00:00Z', late), '2026-11-25T11:01:00.001Z');
  });

  it('from the future is now, with and without sentAt', () => {
    for (const [occurredAt, sentAt] of [
      ['2026-11-25T12:00:00.001Z', undefined],
      ['9999-12-31T23:59:59-14:00', undefined],
      ['2026-11-26T12:00:00Z', NOW],
      ['2026-11-25T13:00:00Z', '2026-11-25T11:00:00Z'],
      [null, '1970-01-01T00:00:00Z'],
      [undefined, '2036-01-01T00:00:00Z'],
    ])
      assert.equal(storedAs(occurredAt, sentAt), NOW, `${occurredAt} sent at ${sentAt}`);
  });

  it('is as given with a sentAt that is no time, or that would put it before 1970', () => {
    const given = '2026-11-25T11:00:00Z';
    for (const sentAt of [
      undefined,
      null,
      '',
      'yesterday',
      7,
      {},
      [],
      true,
      '2026-11-25',
      '2026-13-01T00:00:00Z',
    ])
      assert.equal(storedAs(given, sentAt), '2026-11-25T11:00:00.000Z', JSON.stringify(sentAt));
    assert.equal(storedAs(given, '9999-01-01T00:00:00Z'), '2026-11-25T11:00:00.000Z');
  });

  it('before 1970 after the correction, or a leap second, is no time', () => {
    assert.equal(storedAs('1969-12-31T23:59:59Z'), null);
    assert.equal(storedAs('1969-12-31T23:59:59Z', NOW), null);
    assert.equal(storedAs('2016-12-31T23:59:60Z', NOW), null);
  });
});
