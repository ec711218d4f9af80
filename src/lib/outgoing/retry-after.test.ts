import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../clock.ts';
import { pauseOf } from './retry-after.ts';

const NOW_MS = Date.parse('2026-11-25T12:00:00.000Z');
const pause = (retryAfter: string, status = 429) => pauseOf({ status, retryAfter }, NOW_MS);

describe('Retry-After', () => {
  for (const [header, pauseMs] of [
    ['1', 1_000],
    ['30', 30_000],
    [' 30 ', 30_000],
    ['1.5', 1_500],
    ['0.0004', 1_000],
    ['Wed, 25 Nov 2026 12:01:00 GMT', MINUTE_MS],
    ['Wednesday, 25-Nov-26 12:01:00 GMT', MINUTE_MS],
    ['Wed Nov 25 12:01:00 2026', MINUTE_MS],
  ] as const)
    it(`of “${header}” pauses for ${pauseMs} ms`, () => assert.equal(pause(header), pauseMs));

  for (const header of ['0', '0.0', 'Wed, 25 Nov 2026 11:59:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])
    it(`of “${header}”, which is over, pauses for the contract's second`, () =>
      assert.equal(pause(header), 1_000));

  for (const header of ['3601', '86400', '9'.repeat(400), 'Wed, 25 Nov 2026 14:00:00 GMT'])
    it(`of “${header.slice(0, 30)}” pauses for an hour at most`, () => assert.equal(pause(header), HOUR_MS));

  for (const header of [
    ...['', ' ', '-5', '+5', '1e3', '0x10', '1,5', '1.', '.5', 'Infinity', 'NaN', 'soon', '10 seconds'],
    ...['2026-11-25T13:00:00Z', 'Wed, 25 Nov 2026 12:01:00', 'Wed, 99 Nov 2026 12:01:00 GMT', '30, 60'],
  ])
    it(`of “${header}” is ignored`, () => assert.equal(pause(header), null));

  it('counts with 429 and 503 only', () => {
    assert.equal(pause('5', 503), 5_000);
    for (const status of [200, 204, 301, 400, 413, 500, 502, 504]) assert.equal(pause('5', status), null);
    assert.equal(pauseOf({ status: 429 }, NOW_MS), null);
  });
});
