/** Daily bounds of events and their bytes: of an app, and of an install where a publishable key records them. */
import { Counter } from 'prom-client';
import { type Actor, type AppRow, DAILY_EVENT_DEFAULTS } from '../apps/index.ts';
import { DAY_MS, dayOf, isoTime, SECOND_MS, startOf } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { EventsTable } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import type { DailyUsage, Usage } from '../statistics/index.ts';
import type { NewEvent } from './queries.ts';

export interface DailyBounds {
  /**
   * Counts an event that is about to be recorded.
   * @returns null, or AppError `event.daily_limit`: the event is over a bound and not counted.
   */
  take(from: { actor: Actor; app: AppRow }, event: NewEvent): AppError | null;
  /** Takes back what `take` counted of an event that was not recorded. */
  giveBack(actor: Actor, event: NewEvent): void;
}

/** Where an event is counted. */
interface UsageOfEvent {
  readonly appId: string;
  /** Null where a secret key sends the event: only publishable keys have a bound for each install. */
  readonly installId: string | null;
  readonly createdAt: string;
  readonly day: string;
  readonly ofApp: Usage;
  readonly ofInstall: Usage | null;
}

const INSTALL_BOUND = { records: 10_000, bytes: 10_000_000 } as const;
/** The rest of an app's bound is for secret keys: a flood with the publishable key does not stop the app's servers. */
const PUBLISHABLE_SHARE = 0.9;

export function createDailyBounds(ctx: Ctx, usage: DailyUsage): DailyBounds {
  const refused = new Counter({
    name: 'throughline_events_over_daily_bound_total',
    help: 'Events refused since the install or the app had reached its daily bound',
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

  /** Of the last event: those of a batch are mostly one install's. */
  let last: UsageOfEvent | null = null;

  function usageOf({ publishable }: Actor, { app_id, install_id, created_at }: EventsTable): UsageOfEvent {
    const installId = publishable ? install_id : null;
    if (last?.installId === installId && last.appId === app_id && last.createdAt === created_at) return last;
    const day = dayOf(created_at);
    last = {
      appId: app_id,
      installId,
      createdAt: created_at,
      day,
      ofApp: usage.of({ app_id, day, kind: 'event', subject: app_id }),
      ofInstall:
        installId === null ? null : usage.of({ app_id, day, kind: 'install_event', subject: installId }),
    };
    return last;
  }

  return {
    take({ actor, app }, { row }) {
      const size = sizeOf(row);
      const { day, ofApp, ofInstall } = usageOf(actor, row);
      const share = actor.publishable ? PUBLISHABLE_SHARE : 1;
      const ofAppAllowed = {
        records: Math.ceil((app.daily_event_limit ?? DAILY_EVENT_DEFAULTS.limit) * share),
        bytes: Math.ceil((app.daily_event_bytes ?? DAILY_EVENT_DEFAULTS.bytes) * share),
      };
      const limit = limitReached(ofApp, ofAppAllowed, size);
      if (limit !== null) {
        refused.inc({ bound: 'app' });
        logOnce(app.id, day, limit);
        return overBound(ctx, { isApp: true, limit });
      }
      const limitOfInstall = ofInstall === null ? null : limitReached(ofInstall, INSTALL_BOUND, size);
      if (limitOfInstall !== null) {
        refused.inc({ bound: 'install' });
        return overBound(ctx, { isApp: false, limit: limitOfInstall });
      }
      ofApp.add(1, size);
      ofInstall?.add(1, size);
      return null;
    },
    giveBack(actor, { row }) {
      const { ofApp, ofInstall } = usageOf(actor, row);
      ofApp.add(-1, -sizeOf(row));
      ofInstall?.add(-1, -sizeOf(row));
    },
  };
}

/** Null where an event of a size is within the bound; else the bound. */
function limitReached(
  used: Usage,
  allowed: { readonly records: number; readonly bytes: number },
  size: number,
): string | null {
  if (used.records + 1 > allowed.records) return `${allowed.records} events`;
  return used.bytes + size > allowed.bytes ? `${allowed.bytes} bytes of events` : null;
}

/** What the sender chooses of a row; the rest of it takes some 500 bytes, which the bound of records covers. */
function sizeOf({ properties, event_name, user_id }: EventsTable): number {
  return Buffer.byteLength(properties) + Buffer.byteLength(event_name) + Buffer.byteLength(user_id ?? '');
}

function overBound({ clock }: Ctx, { isApp, limit }: { isApp: boolean; limit: string }): AppError {
  const nowMs = clock.nowMs();
  const resetMs = startOf('day', nowMs, 1);
  const next = isApp
    ? 'Send it again then, or have the operator raise dailyEventLimit or dailyEventBytes of the app.'
    : 'Send it again then, or record it with a secret key.';
  return new AppError('event.daily_limit', {
    message: `The ${isApp ? 'app' : 'install'} has reached its daily bound of ${limit}, which resets at ${isoTime(resetMs)}. ${next}`,
    retryAfterSeconds: Math.ceil(Math.min(resetMs - nowMs, DAY_MS) / SECOND_MS),
  });
}
