import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts';
import { createLog } from './log.ts';
import { startLoop } from './loop.ts';

const log = createLog('silent');

describe('a background task', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const [every, intervalMs, againMs] of [
    ['hour', HOUR_MS, MINUTE_MS],
    ['second', SECOND_MS, SECOND_MS],
  ] as const)
    it(`of every ${every} that failed runs again within a minute, and then every ${every}`, async () => {
      let runs = 0;
      const loop = startLoop('test', intervalMs, log, async () => {
        runs += 1;
        if (runs === 1) throw new Error('no');
      });
      const ranAfter = async (ms: number) => {
        mock.timers.tick(ms);
        await new Promise(setImmediate);
        return runs;
      };
      assert.equal(await ranAfter(intervalMs), 1);
      assert.equal(await ranAfter(againMs), 2);
      assert.equal(await ranAfter(intervalMs - 1), 2);
      assert.equal(await ranAfter(1), 3);
      await loop.stop();
    });
});
