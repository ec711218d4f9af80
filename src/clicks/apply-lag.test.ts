import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApplyLag } from './apply-lag.ts';

describe('how far the database is behind the journal', () => {
  const at = (offset: number) => ({ segment: 1, offset });
  function lagAt(ms: number) {
    const clock = { ms, nowMs: () => clock.ms };
    return { clock, lag: new ApplyLag(clock) };
  }

  it('is the age of the oldest click that is not applied, and nothing where all are', () => {
    const { clock, lag } = lagAt(0);
    assert.equal(lag.ms(), 0);
    lag.written(at(10));
    clock.ms = 100;
    lag.written(at(20));
    clock.ms = 400;
    assert.equal(lag.ms(), 400);
    lag.applied(at(10));
    assert.equal(lag.ms(), 300);
    lag.applied(at(20));
    assert.equal(lag.ms(), 0);
  });

  it('counts a batch that is applied in part from its oldest click', () => {
    const { clock, lag } = lagAt(0);
    lag.written(at(10));
    clock.ms = 5;
    lag.written(at(20));
    clock.ms = 50;
    lag.applied(at(10));
    assert.equal(lag.ms(), 50);
  });

  it('is known to the second through a day without a database, and right after it', () => {
    const { clock, lag } = lagAt(0);
    for (let batch = 1; batch <= 100_000; batch++) {
      clock.ms = batch * 1_000;
      lag.written(at(batch));
    }
    assert.equal(lag.ms(), 100_000_000 - 1_000);
    lag.applied(at(100_000));
    assert.equal(lag.ms(), 0);
  });
});
