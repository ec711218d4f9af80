import type { AppRow } from '../apps/index.ts';
import { insertMany } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { createOutbox, type Dispatcher, type EnabledWebhooks, type WebhookEvent } from '../webhooks/index.ts';
import { advance, awaitsConfirmation, type Change, CONFIRM_AFTER_MS, type KnownCheck } from './advance.ts';
import type { Place } from './host.ts';
import type { Look } from './look-at-host.ts';
import { checksOf, type HostRow, lockHost, updateHost } from './queries.ts';

export interface RecordDeps extends Pick<Foundation, 'db' | 'clock' | 'ids'> {
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
}

/** A change of a check, as webhooks and owners get it. */
export interface Told {
  readonly change: Change;
  readonly check: KnownCheck;
  /** When the problem began. */
  readonly problemSince: string;
}

/** Stores what a look found, with the messages of what changed, in one transaction: each change is reported once. */
export async function recordLook(
  deps: RecordDeps,
  { app, place, look }: { app: AppRow; place: Place; look: Look },
): Promise<readonly Told[]> {
  const { db, clock, ids, dispatcher } = deps;
  const nowMs = clock.nowMs();
  const webhooks = await deps.webhooks.get(app.id);
  const recorded = await db.transaction().execute(async (tx) => {
    const key = { app_id: app.id, host: place.host, next_look_at: isoTime(nowMs + DAY_MS) };
    const before = new Map(checksOf(await lockHost(tx, key)).map((known) => [known.check, known]));
    const steps = [...look.outcomes].map(([check, outcome]) => {
      const known = before.get(check);
      const step = advance(known, { check, outcome, nowMs });
      return { ...step, problemSince: known?.suspectedAt ?? step.next.suspectedAt ?? step.next.since };
    });
    const checks = steps.map(({ next }) => next);
    const told = steps.flatMap(({ change, next, problemSince }): Told[] =>
      change === null ? [] : [{ change, check: next, problemSince }],
    );
    await updateHost(tx, rowOf({ ...key, checks, look, nowMs }));
    const events = told.map((each) => eventOf({ ids }, { app, place, nowMs, ...each }));
    const outbox = createOutbox(deps, app.id, webhooks, events);
    await insertMany(tx, 'webhook_messages', outbox.messages);
    await insertMany(tx, 'webhook_queue', outbox.attempts);
    return { told, attempts: outbox.attempts };
  });
  dispatcher.wake(recorded.attempts);
  return recorded.told;
}

function rowOf({
  checks,
  look,
  nowMs,
  ...key
}: Pick<HostRow, 'app_id' | 'host'> & {
  checks: readonly KnownCheck[];
  look: Look;
  nowMs: number;
}): HostRow {
  const nextMs = checks.some(awaitsConfirmation) ? CONFIRM_AFTER_MS : DAY_MS;
  return {
    ...key,
    next_look_at: isoTime(nowMs + nextMs),
    looked_at: isoTime(nowMs),
    certificate_ends_at: look.certificateEndsAt,
    checks: JSON.stringify(checks),
  };
}

/** The order of the fields is documented. */
function eventOf(
  { ids }: Pick<Foundation, 'ids'>,
  {
    app,
    place,
    nowMs,
    change,
    check,
    problemSince,
  }: Told & { readonly app: AppRow; readonly place: Place; readonly nowMs: number },
): WebhookEvent {
  return {
    type: `host.${change}`,
    timestamp: isoTime(nowMs),
    isSandbox: false,
    recordId: ids.next(),
    data: {
      host: place.host,
      check: check.check,
      message: check.message,
      ...(change === 'problem' && { mend: check.mend }),
      since: problemSince,
      appName: app.name,
    },
  };
}
