import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApplyLag } from './apply-lag.ts';

describe('the lag of the database behind the journal', () => {
  const at = (offset: number) => ({ segment: 1, offset });
  function lagAt(ms: number) {
    const clock = { ms, nowMs: () => clock.ms };
    return { clock, lag: new ApplyLag(clock) };
  }

  it('is the age of the oldest click that is not applied, or 0', () => {
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

  it('of a partly applied sample is that of its oldest click', () => {
    const { clock, lag } = lagAt(0);
    lag.written(at(10));
    clock.ms = 5;
    lag.written(at(20));
    clock.ms = 50;
    lag.applied(at(10));
    assert.equal(lag.ms(), 50);
  });

  it('is exact to a second after a day without a database', () => {
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
