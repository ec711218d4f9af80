import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inLanes } from './lanes.ts';

describe('work in lanes', () => {
  it('results are in order; a lane runs in order, and no more lanes at once than allowed', async () => {
    const items = ['a1', 'b1', 'a2', '-1', 'c1', 'a3', '-2', 'b2'];
    const laneOf = ([lane = '']: string) => (lane === '-' ? null : lane);
    const running: string[] = [];
    const started: string[] = [];
    const results = await inLanes(items, { laneOf, maxLanes: 3 }, async (item) => {
      assert.ok(running.length < 3);
      assert.ok(!running.some((other) => other[0] === item[0] && item[0] !== '-'), `${running} ${item}`);
      running.push(item);
      started.push(item);
      for (let turns = item.charCodeAt(0) % 5; turns >= 0; turns--) await turn();
      running.splice(running.indexOf(item), 1);
      return item.toUpperCase();
    });
    assert.deepEqual(
      results,
      items.map((item) => item.toUpperCase()),
    );
    for (const lane of ['a', 'b'])
      assert.deepEqual(
        started.filter((item) => item[0] === lane),
        items.filter((item) => item[0] === lane),
      );
  });

  it('items without a lane run at the same time', async () => {
    let running = 0;
    let most = 0;
    await inLanes([1, 2, 3, 4], { laneOf: () => null, maxLanes: 8 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    });
    assert.equal(most, 4);
  });
});
