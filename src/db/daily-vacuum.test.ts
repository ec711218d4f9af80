import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { startDailyVacuum } from './daily-vacuum.ts';

it('the file is looked at once a day, in the hour of the setting', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = Date.parse('2026-11-24T00:00:00Z');
  const hours: number[] = [];
  const loop = startDailyVacuum({
    clock: { nowMs: () => nowMs },
    config: { vacuumHourUtc: 3 },
    log: createLog('silent'),
    store: {
      vacuumIfDue: async () => {
        hours.push(new Date(nowMs).getUTCHours());
      },
    },
  });
  for (let passedMs = 0; passedMs < 48 * HOUR_MS; passedMs += 20 * MINUTE_MS) {
    nowMs += 20 * MINUTE_MS;
    t.mock.timers.tick(MINUTE_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await loop.stop();
  assert.deepEqual(hours, [3, 3]);
});
