import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { ClickWaits, type Waiter } from './click-waits.ts';

/** Begins so many waits that last until `end` is called, and tells how many of them were let in. */
function scene() {
  const metrics = new Registry();
  const waits = new ClickWaits(metrics);
  const end = Promise.withResolvers<boolean>();
  let letIn = 0;
  const begin = (waiters: readonly Waiter[]) => {
    const before = letIn;
    const done = waiters.map((waiter) =>
      waits.during(waiter, () => {
        letIn += 1;
        return end.promise;
      }),
    );
    return { letIn: letIn - before, done };
  };
  return { metrics, begin, end: () => end.resolve(true) };
}

const many = (count: number, waiter: (place: number) => Waiter) =>
  Array.from({ length: count }, (_, place) => waiter(place));

describe('waits for clicks of other machines', () => {
  it('have a bound for each address, each app and the process, which leaves places to others', () => {
    const { begin } = scene();
    assert.equal(begin(many(20, () => ({ appId: 'a', ipHash: 'one' }))).letIn, 8);
    assert.equal(begin(many(20, (place) => ({ appId: 'a', ipHash: `other ${place}` }))).letIn, 8);
    assert.equal(begin(many(20, () => ({ appId: 'b', ipHash: null }))).letIn, 16);
    assert.equal(begin(many(100, (place) => ({ appId: `app ${place}`, ipHash: null }))).letIn, 32);
  });

  it('beyond a bound end at once as if no click had come, and are counted', async () => {
    const { begin, end, metrics } = scene();
    const { done } = begin(many(9, () => ({ appId: 'a', ipHash: 'one' })));
    assert.equal(await done[8], false);
    assert.match(await metrics.metrics(), /throughline_click_waits_refused_total 1\n/);
    end();
    assert.equal(await done[0], true);
  });

  it('give their places back when they end', async () => {
    const { begin, end } = scene();
    const { done } = begin(many(8, () => ({ appId: 'a', ipHash: 'one' })));
    end();
    await Promise.all(done);
    assert.equal(begin(many(9, () => ({ appId: 'a', ipHash: 'one' }))).letIn, 8);
  });
});
