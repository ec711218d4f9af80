import { Counter } from 'prom-client';
import type { AppDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Events } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import { listGoneInstalls } from '../installs/index.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { isKnownKind } from './kinds.ts';
import { type Notification, readNotification } from './notification.ts';
import { findOwners, markSubscription, type OneOfCustomer } from './owners.ts';
import { countKind, deleteWaiting, listKinds } from './queries.ts';
import type { OUTCOMES, RevenueCatEvent } from './schemas.ts';
import { keepWaiting } from './waiting.ts';

export type RevenueCatDeps = Pick<
  Foundation,
  'db' | 'store' | 'clock' | 'ids' | 'secrets' | 'log' | 'metrics'
> & {
  readonly appDirectory: AppDirectory;
  readonly events: Pick<Events, 'record'>;
};

type RecordingDeps = Pick<RevenueCatDeps, 'db' | 'events' | 'secrets'>;

/** What became of an event. */
type Outcome = (typeof OUTCOMES)[number];

export function createReceiver(deps: RevenueCatDeps) {
  const received = new Counter({
    name: 'throughline_revenuecat_events_total',
    help: 'Events that RevenueCat sent, by kind and what became of them; unknown kinds are `other`',
    labelNames: ['kind', 'outcome'],
    registers: [deps.metrics],
  });
  /** After its return the event is stored. @throws AppError `event.daily_limit`. */
  return async (appId: string, event: RevenueCatEvent): Promise<Outcome> => {
    const notification = readNotification(event);
    const { kind } = notification;
    const outcome = await keep(deps, appId, notification);
    await count(deps, appId, kind, outcome);
    received.inc({ kind: isKnownKind(kind) ? kind : 'other', outcome });
    return outcome;
  };
}

async function keep(deps: RevenueCatDeps, appId: string, notification: Notification): Promise<Outcome> {
  const { purchase, customerIds, isSandbox, transaction } = notification;
  if (purchase === null) return 'counted';
  // No other caller can make this ID, and it is the same in each repetition.
  const id = deps.secrets.markId(appId, `revenuecat ${notification.id}`);
  const one = { id, purchase, isSandbox, customerIds, transaction };
  if (await recordForOwner(deps, appId, one)) return 'recorded';
  if (customerIds.length === 0) return 'unnamed';
  const gone = await listGoneInstalls(deps.db, deps, appId, customerIds.filter(isUuid).map(lower));
  if (gone.size > 0) return 'erased';
  await keepWaiting(deps, appId, { id, notification, purchase });
  // The app may have identified the user in between, and found nothing that waits.
  return (await settle(deps, appId, one)) ? 'recorded' : 'waiting';
}

/**
 * Records the event for the first of its owners that still exists; once, however often it is called.
 * @returns false if none is known.
 * @throws AppError `event.daily_limit`.
 */
async function recordForOwner(
  { db, events, secrets }: RecordingDeps,
  appId: string,
  one: OneOfCustomer,
): Promise<boolean> {
  const { owners, revenue } = await findOwners({ db, secrets }, appId, one);
  for (const owner of owners) {
    const event = { ...one.purchase, ...owner, revenue, eventId: one.id };
    try {
      await events.record({ actor: actorOf(appId), connectionAddress: '', event });
      await markSubscription({ db, secrets }, appId, { ...one, installId: owner.installId });
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // It was recorded for another install, before the customer had this one.
      if (error.code === 'record.id_taken') return true;
      if (error.code !== 'install.erased' && error.code !== 'install.not_found') throw error;
    }
  }
  return false;
}

/** Records an event that waits, if its owner is known by now. @returns whether it waits no more. */
export async function settle(deps: RecordingDeps, appId: string, one: OneOfCustomer): Promise<boolean> {
  if (!(await recordForOwner(deps, appId, one))) return false;
  await deps.db.transaction().execute((tx) => deleteWaiting(tx, appId, [one.id]));
  return true;
}

/** Other kinds than these have no row of their own: a sender may invent them. */
const MAX_KINDS = 50;
const OTHER = 'OTHER';

async function count(
  { db, clock }: RevenueCatDeps,
  appId: string,
  given: string,
  outcome: Outcome,
): Promise<void> {
  const kinds = isKnownKind(given) ? null : await listKinds(db, appId);
  const isNamed = kinds === null || kinds.length < MAX_KINDS || kinds.some(({ kind }) => kind === given);
  const kind = isNamed ? given : OTHER;
  const isDropped = outcome === 'unnamed';
  await countKind(db, appId, { kind, isDropped, receivedAt: isoTime(clock.nowMs()) });
}

function actorOf(appId: string): Actor {
  return { appId, keyId: 'revenuecat', mode: 'live', publishable: false };
}

function lower(id: string): string {
  return id.toLowerCase();
}
