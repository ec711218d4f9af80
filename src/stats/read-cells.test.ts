import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../auth/index.ts';
import { divide } from './read-cells.ts';
import { sandboxOf } from './read-stats.ts';

const partsOf = (from: string, to: string) =>
  divide({ fromMs: Date.parse(`2026-01-${from}Z`), toMs: Date.parse(`2026-01-${to}Z`) });

describe('a span has', () => {
  it('whole UTC days alone, from midnight to midnight', () => {
    const whole = { fromDay: '2026-01-01', toDay: '2026-01-02' };
    assert.deepEqual(partsOf('01T00:00', '03T00:00'), { whole, ends: [] });
  });

  it('whole days, and the days of which it has a part', () => {
    const whole = { fromDay: '2026-01-02', toDay: '2026-01-02' };
    assert.deepEqual(partsOf('01T23:00', '03T05:30'), { whole, ends: ['2026-01-01', '2026-01-03'] });
    assert.deepEqual(partsOf('01T23:00', '03T00:00'), { whole, ends: ['2026-01-01'] });
  });

  it('no whole day if it is short', () => {
    assert.deepEqual(partsOf('01T23:00', '02T23:00'), { whole: null, ends: null });
  });
});

describe('the sandbox filter', () => {
  it('of a test key is the sandbox, of a live key what is asked for', () => {
    const [live, test] = [{ mode: 'live' }, { mode: 'test' }] as Actor[];
    assert.deepEqual(
      [undefined, false, true].map((sandbox) => sandboxOf(live as Actor, sandbox)),
      [0, 0, 1],
    );
    assert.deepEqual(
      [undefined, true].map((sandbox) => sandboxOf(test as Actor, sandbox)),
      [1, 1],
    );
    assert.throws(() => sandboxOf(test as Actor, false), /sandbox must be true with a test key/);
  });
});
