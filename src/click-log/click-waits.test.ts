import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { ClickWaits, type Waiter } from './click-waits.ts';

/** `begin` starts waits that last until `end`, and returns how many of them were admitted. */
function scene() {
  const metrics = new Registry();
  const waits = new ClickWaits(metrics);
  const end = Promise.withResolvers<boolean>();
  let admitted = 0;
  const begin = (waiters: readonly Waiter[]) => {
    const before = admitted;
    const done = waiters.map((waiter) =>
      waits.during(waiter, () => {
        admitted += 1;
        return end.promise;
      }),
    );
    return { admitted: admitted - before, done };
  };
  return { metrics, begin, end: () => end.resolve(true) };
}

const many = (count: number, waiter: (index: number) => Waiter) =>
  Array.from({ length: count }, (_, index) => waiter(index));

describe('waits for clicks of other processes', () => {
  it('are limited per address, per app and per process', () => {
    const { begin } = scene();
    assert.equal(begin(many(20, () => ({ appId: 'a', ipHash: 'one' }))).admitted, 8);
    assert.equal(begin(many(20, (index) => ({ appId: 'a', ipHash: `other ${index}` }))).admitted, 8);
    assert.equal(begin(many(20, () => ({ appId: 'b', ipHash: null }))).admitted, 16);
    assert.equal(begin(many(100, (index) => ({ appId: `app ${index}`, ipHash: null }))).admitted, 32);
  });

  it('beyond a limit return nothing at once and are counted', async () => {
    const { begin, end, metrics } = scene();
    const { done } = begin(many(9, () => ({ appId: 'a', ipHash: 'one' })));
    assert.equal(await done[8], undefined);
    assert.match(await metrics.metrics(), /throughline_click_waits_refused_total 1\n/);
    end();
    assert.equal(await done[0], true);
  });

  it('free their places when they end', async () => {
    const { begin, end } = scene();
    const { done } = begin(many(8, () => ({ appId: 'a', ipHash: 'one' })));
    end();
    await Promise.all(done);
    assert.equal(begin(many(9, () => ({ appId: 'a', ipHash: 'one' }))).admitted, 8);
  });
});
