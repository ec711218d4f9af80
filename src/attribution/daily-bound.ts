import { Counter } from 'prom-client';
import type { Actor } from '../apps/index.ts';
import { dayOf, isoTime, SECOND_MS, startOf } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { DailyUsage, Usage } from '../statistics/index.ts';

/** Counts what an address records: at the limit of a minute it could store gigabytes in a day. */
export interface InstallBound {
  /**
   * @returns where to count a record of this caller; null where it has no bound.
   * @throws AppError `install.daily_limit` where its address has reached the bound of the day.
   */
  usageOf(actor: Actor, ipHash: string | null): Usage | null;
}

/** Installs and opens of an address and UTC day: a carrier's address has far fewer subscribers at a time. */
const MAX_RECORDS = 20_000;

export function createInstallBound(ctx: Ctx, usage: DailyUsage): InstallBound {
  const refused = new Counter({
    name: 'throughline_installs_over_daily_bound_total',
    help: 'Installs and opens refused since their address had reached its daily bound',
    registers: [ctx.metrics],
  });
  return {
    usageOf({ appId, publishable }, ipHash) {
      if (!publishable || ipHash === null) return null;
      const nowMs = ctx.clock.nowMs();
      const used = usage.of({
        app_id: appId,
        day: dayOf(isoTime(nowMs)),
        kind: 'address_install',
        subject: ctx.secrets.markId(appId, ipHash),
      });
      if (used.records < MAX_RECORDS) return used;
      refused.inc();
      const resetMs = startOf('day', nowMs, 1);
      throw new AppError('install.daily_limit', {
        message: `The address has reached its daily bound of ${MAX_RECORDS} installs and opens, which resets at ${isoTime(resetMs)}. Send it again then, or from a server with a secret key.`,
        retryAfterSeconds: Math.ceil((resetMs - nowMs) / SECOND_MS),
      });
    },
  };
}
