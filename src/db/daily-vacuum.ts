import type { Config } from '../config.ts';
import { type Clock, dayOf, isoTime, MINUTE_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, LoopStopped, startLoop } from '../lib/loop.ts';
import type { Store } from './store.ts';

/** Has the SQLite file rewritten once a day, at the hour of the settings, if it has to be. */
export function startDailyVacuum({
  store,
  clock,
  config,
  log,
}: {
  store: Pick<Store, 'vacuumIfDue'>;
  clock: Clock;
  config: Pick<Config, 'vacuumHourUtc'>;
  log: Log;
}): Loop {
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
