import { Counter, type Registry } from 'prom-client';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, dayOf, isoTime, SECOND_MS, startOf } from '../lib/clock.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { DailyUsage, Usage } from '../stats/index.ts';

/** Bounds the storage that one address can fill: within the limit per minute it could record gigabytes a day. */
export interface InstallLimit {
  /**
   * @returns the counter to add a record to; null for callers without a limit.
   * @throws AppError `install.daily_limit`.
   */
  usageOf(actor: Actor, ipHash: string | null): Usage | null;
}

/** Installs and opens per address and UTC day; the address of a mobile carrier serves far fewer subscribers at a time. */
const MAX_RECORDS = 20_000;

export function createDailyInstallLimit(
  { clock, secrets, metrics }: { clock: Clock; secrets: Secrets; metrics: Registry },
  usage: DailyUsage,
): InstallLimit {
  const refused = new Counter({
    name: 'throughline_installs_over_daily_bound_total',
    help: 'Installs and opens refused because their address had reached its daily limit',
    registers: [metrics],
  });
  return {
    usageOf({ appId, publishable }, ipHash) {
      if (!publishable || ipHash === null) return null;
      const nowMs = clock.nowMs();
      const used = usage.of({
        app_id: appId,
        day: dayOf(isoTime(nowMs)),
        kind: 'address_install',
        subject: secrets.markId(appId, ipHash),
      });
      if (used.records < MAX_RECORDS) return used;
      refused.inc();
      const resetMs = startOf('day', nowMs, 1);
      throw new AppError('install.daily_limit', {
        message: `The address has reached its daily limit of ${MAX_RECORDS} installs and opens, which resets at ${isoTime(resetMs)}. Send it again then, or from a server with a secret key.`,
        retryAfterSeconds: Math.ceil((resetMs - nowMs) / SECOND_MS),
      });
    },
  };
}
