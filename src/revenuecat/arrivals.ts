/** Records what waits once its customer is known: soon after `identify`, and every ten minutes what that missed. */

import { type Flag, forEachReachable, holdLease, isNodeAway, type Lease } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { listMarkedEvents } from '../events/index.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { LoopStopped, startLoop } from '../lib/loop.ts';
import { listCustomers } from './customers.ts';
import { marksOfTransaction } from './owners.ts';
import { listAppsWithRevenueCat, listWaiting, listWaitingOf, type WaitingRow } from './queries.ts';
import { type RevenueCatDeps, settle } from './receive.ts';
import { contentOf, MAX_WAITING, marksOf } from './waiting.ts';

const SWEEP_MS = 10 * MINUTE_MS;
const ROWS_PER_STEP = 100;
/** Those beyond are found by the sweep. */
const MAX_ARRIVED = 10_000;

export interface Arrivals {
  /** A user is known, or has one more install. Returns at once. */
  arrived(appId: string, customerId: string): void;
  /** All that wait, of all apps. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function createArrivals(deps: RevenueCatDeps): Arrivals {
  const lease: Lease = { name: 'revenuecat', holder: deps.ids.next(), forMs: 5 * MINUTE_MS };
  const queue = new Map<string, { readonly appId: string; readonly customerId: string }>();
  let running: Promise<void> | null = null;
  let isStopping = false;

  const goOn = async () => {
    if (isStopping) throw new LoopStopped();
    if (!(await holdLease(deps, lease))) throw new LoopStopped();
  };
  const takeTurns = async () => {
    for (const [key, { appId, customerId }] of queue) {
      if (isStopping) return;
      queue.delete(key);
      await settleOf(deps, appId, customerId).catch((error: unknown) =>
        deps.log.error({ err: error }, 'Failed to record purchases that waited; will retry'),
      );
    }
  };
  const sweep = async () => {
    const appIds = await listAppsWithRevenueCat(deps.db);
    const work = forEachReachable(
      deps.db,
      appIds,
      (appId) => appId,
      (appId) => sweepApp(deps, appId, goOn),
    );
    await work.catch((error: unknown) => {
      if (!isNodeAway(error)) throw error;
    });
  };
  const loop = startLoop('revenuecat', SWEEP_MS, deps.log, async () => {
    if (await holdLease(deps, lease)) await sweep();
  });
  return {
    arrived(appId, customerId) {
      if (queue.size < MAX_ARRIVED) queue.set(`${appId} ${customerId}`, { appId, customerId });
      running ??= takeTurns().finally(() => {
        running = null;
      });
    },
    sweep,
    async stop() {
      isStopping = true;
      await Promise.all([loop.stop(), running]);
    },
  };
}

async function settleOf(deps: RevenueCatDeps, appId: string, customerId: string): Promise<void> {
  if ((await deps.appDirectory.get(appId)).revenuecat_key === null) return;
  const marks = marksOf(deps, appId, [customerId]);
  await settleAll(deps, appId, await listWaitingOf(deps.db, appId, { marks, limit: MAX_WAITING }));
}

async function sweepApp(deps: RevenueCatDeps, appId: string, goOn: () => Promise<void>): Promise<void> {
  for (let after: string | null = null; ; ) {
    await goOn();
    const rows: WaitingRow[] = await listWaiting(deps.db, appId, { after, limit: ROWS_PER_STEP });
    for (const sandbox of [0, 1] as const) {
      const some = rows.filter((row) => row.sandbox === sandbox);
      if (await isAnyKnown(deps, appId, sandbox, some)) await settleAll(deps, appId, some);
    }
    const last = rows.at(-1);
    if (rows.length < ROWS_PER_STEP || last === undefined) return;
    after = last.id;
  }
}

/** One look at all of them, since hardly any is known. */
async function isAnyKnown(
  deps: RevenueCatDeps,
  appId: string,
  sandbox: Flag,
  rows: readonly WaitingRow[],
): Promise<boolean> {
  const contents = rows.flatMap((row) => contentOf(deps, row) ?? []);
  const customerIds = [...new Set(contents.flatMap((each) => each.customerIds))];
  if ((await listCustomers(deps.db, appId, { customerIds, sandbox })).length > 0) return true;
  const marks = contents.flatMap(({ transaction }) =>
    marksOfTransaction(deps, appId, { transaction, isSandbox: sandbox === 1 }),
  );
  return (await listMarkedEvents(deps.db, appId, marks)).length > 0;
}

/** Until the app reaches its daily limit of events: the rest waits on. */
async function settleAll(deps: RevenueCatDeps, appId: string, rows: readonly WaitingRow[]): Promise<void> {
  for (const row of rows) {
    const content = contentOf(deps, row);
    if (content === null) continue;
    try {
      await settle(deps, appId, { ...content, id: row.id, isSandbox: row.sandbox === 1 });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'event.daily_limit')) throw error;
      return;
    }
  }
}
