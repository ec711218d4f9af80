/** How many links an app, an address and an install may make in a UTC day. */

import { Counter } from 'prom-client';
import type { AppLinksSetting } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { dayOf, isoTime, SECOND_MS, startOf } from '../lib/clock.ts';
import { addUsage, type DailyUsage } from '../stats/index.ts';

export interface ShareLimits {
  /**
   * Counts a link of the app and the address before it is stored; sandbox links apart from live ones.
   * @returns undoes that.
   * @throws AppError `rate.limited`.
   */
  take(call: { actor: Actor; setting: AppLinksSetting; address: string }): { giveBack(): void };
  /** Counts a link of an install in the transaction that stores it. @throws AppError `rate.limited`. */
  takeOfInstall(tx: Transaction, of: { appId: string; installId: string; max: number }): Promise<void>;
}

/** The rest is left to secret keys: a flood with the publishable key does not stop the app's servers. */
const PUBLISHABLE_SHARE = 0.9;
/** Of the app's links a day, but at least as many as one install may make. */
const ADDRESS_SHARE = 0.05;

type Scope = 'app' | 'address' | 'install';
const NEXT_STEP: Readonly<Record<Scope, string>> = {
  app: 'Make more links then, or have the operator raise appLinks.perDay of the app.',
  address: 'Make more links then, or from a server with a secret key.',
  install: 'Make more links then, or raise appLinks.perInstallPerDay of the app.',
};

export function createShareLimits(
  { clock, secrets, metrics }: Pick<Foundation, 'clock' | 'secrets' | 'metrics'>,
  usage: DailyUsage,
): ShareLimits {
  const refused = new Counter({
    name: 'throughline_share_links_over_daily_bound_total',
    help: 'Links by apps refused because the install, the address or the app had reached its daily limit',
    labelNames: ['bound'],
    registers: [metrics],
  });

  const today = () => dayOf(isoTime(clock.nowMs()));

  function refusal(scope: Scope, max: number): AppError {
    refused.inc({ bound: scope });
    const nowMs = clock.nowMs();
    const resetMs = startOf('day', nowMs, 1);
    return new AppError('rate.limited', {
      message: `The ${scope} has reached its daily limit of ${max} new links, which resets at ${isoTime(resetMs)}. ${NEXT_STEP[scope]}`,
      retryAfterSeconds: Math.ceil((resetMs - nowMs) / SECOND_MS),
    });
  }

  return {
    take({ actor: { appId, mode, publishable }, setting: { perDay, perInstallPerDay }, address }) {
      const of = { app_id: appId, day: today() };
      const bounds = [
        {
          scope: 'app',
          used: usage.of({ ...of, kind: `${mode}_link`, subject: appId }),
          max: Math.ceil(perDay * (publishable ? PUBLISHABLE_SHARE : 1)),
        },
      ] as { scope: Scope; used: ReturnType<DailyUsage['of']>; max: number }[];
      const ipHash = publishable ? secrets.hashAddress(appId, address) : null;
      if (ipHash !== null)
        bounds.push({
          scope: 'address',
          used: usage.of({ ...of, kind: `${mode}_address_link`, subject: secrets.markId(appId, ipHash) }),
          max: Math.max(Math.ceil(perDay * ADDRESS_SHARE), perInstallPerDay),
        });
      for (const { scope, used, max } of bounds) if (used.records >= max) throw refusal(scope, max);
      const add = (records: number) => {
        for (const { used } of bounds) used.add(records, 0);
      };
      add(1);
      return { giveBack: () => add(-1) };
    },
    async takeOfInstall(tx, { appId, installId, max }) {
      const row = { app_id: appId, day: today(), kind: 'install_link', subject: installId };
      const [total] = await addUsage(tx, [{ ...row, records: 1, bytes: 0 }]);
      if (total !== undefined && total.records > max) throw refusal('install', max);
    },
  };
}
