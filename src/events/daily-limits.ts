/** Daily limits of events and their bytes: per app, and for publishable keys also per address and per install. */

import { Counter, type Registry } from 'prom-client';
import { type AppRow, DAILY_EVENT_DEFAULTS } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { EventsTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, DAY_MS, dayOf, isoTime, SECOND_MS, startOf } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { DailyUsage, Usage } from '../stats/index.ts';

export interface EventSender {
  readonly actor: Actor;
  readonly connectionAddress: string;
}

export interface DailyLimits {
  forSender(sender: EventSender, app: AppRow): SenderLimits;
}

export interface SenderLimits {
  /**
   * Counts an event before it is recorded.
   * @returns AppError `event.daily_limit` if the event exceeds a limit and was not counted; else null.
   */
  take(event: EventsTable): AppError | null;
  /** Reverts `take` for an event that was not recorded. */
  giveBack(event: EventsTable): void;
}

type Scope = 'app' | 'address' | 'install';

interface Amount {
  readonly records: number;
  readonly bytes: number;
}

interface Limit {
  readonly scope: Scope;
  readonly usage: Usage;
  readonly max: Amount;
}

const MAX_OF_INSTALL: Amount = { records: 10_000, bytes: 10_000_000 };
/** The rest is reserved for secret keys, so that a flood with the publishable key does not stop the app's servers. */
const PUBLISHABLE_SHARE = 0.9;
/** Of the app's limit, but at least that of one install. */
const ADDRESS_SHARE = 0.05;

export function createDailyEventLimits(
  { clock, secrets, log, metrics }: { clock: Clock; secrets: Secrets; log: Log; metrics: Registry },
  usage: DailyUsage,
): DailyLimits {
  const refused = new Counter({
    name: 'throughline_events_over_daily_bound_total',
    help: 'Events refused because the install, the address or the app had reached its daily limit',
    labelNames: ['bound'],
    registers: [metrics],
  });
  const loggedDays = new Map<string, string>();

  function refuse(app: AppRow, scope: Scope, reached: string): AppError {
    refused.inc({ bound: scope });
    const nowMs = clock.nowMs();
    const day = dayOf(isoTime(nowMs));
    if (scope === 'app' && loggedDays.get(app.id) !== day) {
      loggedDays.set(app.id, day);
      log.warn(
        { appId: app.id, limit: reached },
        'An app has reached its daily limit of events; refusing more until 00:00 UTC',
      );
    }
    const resetMs = startOf('day', nowMs, 1);
    return new AppError('event.daily_limit', {
      message: `The ${scope} has reached its daily limit of ${reached}, which resets at ${isoTime(resetMs)}. ${NEXT_STEP[scope]}`,
      retryAfterSeconds: Math.ceil(Math.min(resetMs - nowMs, DAY_MS) / SECOND_MS),
    });
  }

  return {
    forSender({ actor: { publishable }, connectionAddress }, app) {
      const ipHash = publishable ? secrets.hashAddress(app.id, connectionAddress) : null;
      const addressId = ipHash === null ? null : secrets.markId(app.id, ipHash);
      const limitsOf = (event: EventsTable) => listLimits(usage, app, event, { publishable, addressId });
      return {
        take(event) {
          const bytes = bytesOf(event);
          const limits = limitsOf(event);
          for (const limit of limits) {
            const reached = reachedMax(limit, bytes);
            if (reached !== null) return refuse(app, limit.scope, reached);
          }
          for (const limit of limits) limit.usage.add(1, bytes);
          return null;
        },
        giveBack(event) {
          for (const limit of limitsOf(event)) limit.usage.add(-1, -bytesOf(event));
        },
      };
    },
  };
}

/** @param addressId keyed hash of the address; null with a secret key. */
function listLimits(
  usage: DailyUsage,
  app: AppRow,
  { created_at, install_id }: EventsTable,
  { publishable, addressId }: { publishable: boolean; addressId: string | null },
): Limit[] {
  const [app_id, day] = [app.id, dayOf(created_at)];
  const limits: Limit[] = [
    {
      scope: 'app',
      usage: usage.of({ app_id, day, kind: 'event', subject: app.id }),
      max: shareOf(app, publishable ? PUBLISHABLE_SHARE : 1),
    },
  ];
  if (addressId !== null) {
    const share = shareOf(app, ADDRESS_SHARE);
    limits.push({
      scope: 'address',
      usage: usage.of({ app_id, day, kind: 'address_event', subject: addressId }),
      max: {
        records: Math.max(share.records, MAX_OF_INSTALL.records),
        bytes: Math.max(share.bytes, MAX_OF_INSTALL.bytes),
      },
    });
  }
  if (publishable)
    limits.push({
      scope: 'install',
      usage: usage.of({ app_id, day, kind: 'install_event', subject: install_id }),
      max: MAX_OF_INSTALL,
    });
  return limits;
}

function shareOf({ daily_event_limit, daily_event_bytes }: AppRow, share: number): Amount {
  return {
    records: Math.ceil((daily_event_limit ?? DAILY_EVENT_DEFAULTS.limit) * share),
    bytes: Math.ceil((daily_event_bytes ?? DAILY_EVENT_DEFAULTS.bytes) * share),
  };
}

/** @returns the maximum that one more event would exceed, as a text; else null. */
function reachedMax({ usage, max }: Limit, bytes: number): string | null {
  if (usage.records + 1 > max.records) return `${max.records} events`;
  return usage.bytes + bytes > max.bytes ? `${max.bytes} bytes of events` : null;
}

/** The parts chosen by the sender; the rest, some 500 bytes, is bounded by the number of records. */
function bytesOf({ properties, event_name, user_id }: EventsTable): number {
  return Buffer.byteLength(properties) + Buffer.byteLength(event_name) + Buffer.byteLength(user_id ?? '');
}

const NEXT_STEP: Readonly<Record<Scope, string>> = {
  app: 'Send it again then, or have the operator raise dailyEventLimit or dailyEventBytes of the app.',
  address: 'Send it again then, or from a server with a secret key.',
  install: 'Send it again then, or record it with a secret key.',
};
