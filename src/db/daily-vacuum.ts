import type { Ctx } from '../ctx.ts';
import { dayOf, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { type Loop, LoopStopped, startLoop } from '../lib/loop.ts';

/** Has the SQLite file rewritten once a day, at the hour of the settings, if it has to be. */
export function startDailyVacuum({ clock, config, log, store }: Ctx): Loop {
  let lastDay = '';
  let isStopping = false;
  const goOn = async () => {
    if (isStopping) throw new LoopStopped();
  };
  const loop = startLoop('vacuum', MINUTE_MS, log, async () => {
    const nowMs = clock.nowMs();
    const day = dayOf(isoTime(nowMs));
    if (day === lastDay || new Date(nowMs).getUTCHours() !== config.vacuumHourUtc) return;
    lastDay = day;
    await store.vacuumIfDue(goOn);
  });
  return {
    async stop() {
      isStopping = true;
      await loop.stop();
    },
  };
}
