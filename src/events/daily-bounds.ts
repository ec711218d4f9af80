/** Daily bounds of events and their bytes: of an app, and of an address and an install where a publishable key records them. */
import { Counter } from 'prom-client';
import { type Actor, type AppRow, DAILY_EVENT_DEFAULTS } from '../apps/index.ts';
import { DAY_MS, dayOf, isoTime, SECOND_MS, startOf } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { EventsTable } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import type { DailyUsage, Usage } from '../statistics/index.ts';
import type { NewEvent } from './queries.ts';

/** Who sends events. */
export interface EventSender {
  readonly actor: Actor;
  readonly connectionAddress: string;
}

export interface DailyBounds {
  /** The bounds of the events that one call sends. */
  of(sender: EventSender, app: AppRow): CallBounds;
}

export interface CallBounds {
  /**
   * Counts an event that is about to be recorded.
   * @returns null, or AppError `event.daily_limit`: the event is over a bound and not counted.
   */
  take(event: NewEvent): AppError | null;
  /** Takes back what `take` counted of an event that was not recorded. */
  giveBack(event: NewEvent): void;
}

type BoundOf = 'app' | 'address' | 'install';

interface Allowed {
  readonly records: number;
  readonly bytes: number;
}

interface Bound {
  readonly of: BoundOf;
  readonly usage: Usage;
  readonly allowed: Allowed;
}

const INSTALL_BOUND: Allowed = { records: 10_000, bytes: 10_000_000 };
/** The rest of an app's bound is for secret keys: a flood with the publishable key does not stop the app's servers. */
const PUBLISHABLE_SHARE = 0.9;
/** The rest of an app's bound is for other addresses; an address may always send what one install may. */
const ADDRESS_SHARE = 0.05;

export function createDailyBounds(ctx: Ctx, usage: DailyUsage): DailyBounds {
  const refused = new Counter({
    name: 'throughline_events_over_daily_bound_total',
    help: 'Events refused since the install, the address or the app had reached its daily bound',
    labelNames: ['bound'],
    registers: [ctx.metrics],
  });
  /** Apps whose bound was logged, of one day. */
  const logged = { day: '', apps: new Set<string>() };

  function logOnce(appId: string, day: string, limit: string): void {
    if (logged.day !== day) {
      logged.day = day;
      logged.apps.clear();
    }
    if (logged.apps.has(appId)) return;
    logged.apps.add(appId);
    ctx.log.warn(
      { appId, limit },
      'An app has reached its daily bound of events; refusing more until 00:00 UTC',
    );
  }

  return {
    of(sender, app) {
      const boundsOf = boundsOfCall(ctx, usage, sender, app);
      return {
        take({ row }) {
          const size = sizeOf(row);
          const bounds = boundsOf(row);
          for (const bound of bounds) {
            const limit = limitReached(bound, size);
            if (limit === null) continue;
            refused.inc({ bound: bound.of });
            if (bound.of === 'app') logOnce(app.id, dayOf(row.created_at), limit);
            return overBound(ctx, bound.of, limit);
          }
          for (const bound of bounds) bound.usage.add(1, size);
          return null;
        },
        giveBack({ row }) {
          for (const bound of boundsOf(row)) bound.usage.add(-1, -sizeOf(row));
        },
      };
    },
  };
}

/** Looks app and address up once for a call, and an install once for its consecutive events. */
function boundsOfCall(
  { secrets }: Ctx,
  usage: DailyUsage,
  { actor: { publishable }, connectionAddress }: EventSender,
  app: AppRow,
): (row: EventsTable) => readonly Bound[] {
  const ipHash = publishable ? secrets.hashAddress(app.id, connectionAddress) : null;
  let ofDay: { readonly day: string; readonly bounds: readonly Bound[] } | null = null;
  let ofInstall: { readonly installId: string; readonly bounds: readonly Bound[] } | null = null;

  function boundsOfDay(day: string): readonly Bound[] {
    const ofApp: Bound = {
      of: 'app',
      usage: usage.of({ app_id: app.id, day, kind: 'event', subject: app.id }),
      allowed: shareOf(app, publishable ? PUBLISHABLE_SHARE : 1),
    };
    if (ipHash === null) return [ofApp];
    const subject = secrets.markId(app.id, ipHash);
    const share = shareOf(app, ADDRESS_SHARE);
    const ofAddress: Bound = {
      of: 'address',
      usage: usage.of({ app_id: app.id, day, kind: 'address_event', subject }),
      allowed: {
        records: Math.max(share.records, INSTALL_BOUND.records),
        bytes: Math.max(share.bytes, INSTALL_BOUND.bytes),
      },
    };
    return [ofApp, ofAddress];
  }

  return ({ created_at, install_id }) => {
    const day = dayOf(created_at);
    if (ofDay?.day !== day) {
      ofDay = { day, bounds: boundsOfDay(day) };
      ofInstall = null;
    }
    if (!publishable) return ofDay.bounds;
    if (ofInstall?.installId !== install_id) {
      const used = usage.of({ app_id: app.id, day, kind: 'install_event', subject: install_id });
      const bound: Bound = { of: 'install', usage: used, allowed: INSTALL_BOUND };
      ofInstall = { installId: install_id, bounds: [...ofDay.bounds, bound] };
    }
    return ofInstall.bounds;
  };
}

function shareOf({ daily_event_limit, daily_event_bytes }: AppRow, share: number): Allowed {
  return {
    records: Math.ceil((daily_event_limit ?? DAILY_EVENT_DEFAULTS.limit) * share),
    bytes: Math.ceil((daily_event_bytes ?? DAILY_EVENT_DEFAULTS.bytes) * share),
  };
}

/** Null where an event of a size is within the bound; else the bound. */
function limitReached({ usage: used, allowed }: Bound, size: number): string | null {
  if (used.records + 1 > allowed.records) return `${allowed.records} events`;
  return used.bytes + size > allowed.bytes ? `${allowed.bytes} bytes of events` : null;
}

/** What the sender chooses of a row; the rest of it takes some 500 bytes, which the bound of records covers. */
function sizeOf({ properties, event_name, user_id }: EventsTable): number {
  return Buffer.byteLength(properties) + Buffer.byteLength(event_name) + Buffer.byteLength(user_id ?? '');
}

const NEXT: Readonly<Record<BoundOf, string>> = {
  app: 'Send it again then, or have the operator raise dailyEventLimit or dailyEventBytes of the app.',
  address: 'Send it again then, or from a server with a secret key.',
  install: 'Send it again then, or record it with a secret key.',
};

function overBound({ clock }: Ctx, of: BoundOf, limit: string): AppError {
  const nowMs = clock.nowMs();
  const resetMs = startOf('day', nowMs, 1);
  return new AppError('event.daily_limit', {
    message: `The ${of} has reached its daily bound of ${limit}, which resets at ${isoTime(resetMs)}. ${NEXT[of]}`,
    retryAfterSeconds: Math.ceil(Math.min(resetMs - nowMs, DAY_MS) / SECOND_MS),
  });
}
