/** Daily bounds of events and their bytes: of an app, and of an install where a publishable key records them. */
import { Counter } from 'prom-client';
import { type Actor, type AppRow, DAILY_EVENT_DEFAULTS } from '../apps/index.ts';
import { DAY_MS, dayOf, isoTime, SECOND_MS, startOf } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { DailyUsage, UsageKey } from '../statistics/index.ts';
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

interface Bound {
  readonly key: UsageKey;
  readonly records: number;
  readonly bytes: number;
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

  function logOnce({ app_id: appId, day }: UsageKey, limit: string): void {
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
    take({ actor, app }, event) {
      const size = sizeOf(event);
      const bounds = boundsOf(actor, app, event);
      for (const bound of bounds) {
        const used = usage.of(bound.key);
        const isOver = { records: used.records + 1 > bound.records, bytes: used.bytes + size > bound.bytes };
        if (!isOver.records && !isOver.bytes) continue;
        const isApp = bound.key.kind === 'event';
        const limit = isOver.records ? `${bound.records} events` : `${bound.bytes} bytes of events`;
        refused.inc({ bound: isApp ? 'app' : 'install' });
        if (isApp) logOnce(bound.key, limit);
        return overBound(ctx, { isApp, limit });
      }
      for (const { key } of bounds) usage.add(key, { records: 1, bytes: size });
      return null;
    },
    giveBack(actor, event) {
      for (const key of keysOf(actor, event)) usage.add(key, { records: -1, bytes: -sizeOf(event) });
    },
  };
}

/** What the sender chooses of a row; the rest of it takes some 500 bytes, which the bound of records covers. */
function sizeOf({ row }: NewEvent): number {
  return (
    Buffer.byteLength(row.properties) +
    Buffer.byteLength(row.event_name) +
    Buffer.byteLength(row.user_id ?? '')
  );
}

/** The app's first; the install's only where anybody who has the app may send for it. */
function keysOf({ publishable }: Actor, { row }: NewEvent): UsageKey[] {
  const { app_id, install_id } = row;
  const day = dayOf(row.created_at);
  const ofApp: UsageKey = { app_id, day, kind: 'event', subject: app_id };
  return publishable ? [ofApp, { app_id, day, kind: 'install_event', subject: install_id }] : [ofApp];
}

function boundsOf(actor: Actor, app: AppRow, event: NewEvent): Bound[] {
  const share = actor.publishable ? PUBLISHABLE_SHARE : 1;
  const ofApp = {
    records: Math.ceil((app.daily_event_limit ?? DAILY_EVENT_DEFAULTS.limit) * share),
    bytes: Math.ceil((app.daily_event_bytes ?? DAILY_EVENT_DEFAULTS.bytes) * share),
  };
  return keysOf(actor, event).map((key) => ({ key, ...(key.kind === 'event' ? ofApp : INSTALL_BOUND) }));
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
