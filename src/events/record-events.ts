import { type Actor, type AppRow, canSee } from '../apps/index.ts';
import { installIsOf, listInstalls } from '../attribution/index.ts';
import { isoTime, LATEST_MS } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { type DailyCountsTable, type EventsTable, toFlag } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import { compileCheck } from '../platform/http/validation.ts';
import type { UnderWay } from '../platform/under-way.ts';
import { addCounts, toCounts } from '../statistics/index.ts';
import {
  insertOutbox,
  outboxOf,
  type PublishingCtx,
  publishMany,
  type Subscription,
  type WebhookEvent,
} from '../webhooks/index.ts';
import type { CallBounds, DailyBounds, EventSender } from './daily-bounds.ts';
import { eventIdOf } from './event.ts';
import { insertEvent, insertEvents, listMarked, type NewEvent } from './queries.ts';
import { type EventResult, RecordEvent, type RecordEventInput } from './schemas.ts';
import { eventRecorded, type InstallSummary } from './webhook-event.ts';

export type RecordingCtx = PublishingCtx & {
  readonly dailyBounds: DailyBounds;
  /** A deletion of installs waits for the events that are being recorded. */
  readonly recordings: UnderWay;
};

const MAX_PROPERTIES_BYTES = 32 * 1024;
const checkEvent = compileCheck(RecordEvent, 'event');

/** Records one event. @throws AppError `install.not_found`, `record.id_taken`, `event.daily_limit`, `request.invalid`. */
export async function recordEvent(
  ctx: RecordingCtx,
  input: EventSender & { event: RecordEventInput },
): Promise<{ eventId: string }> {
  return await ctx.recordings.during(() => record(ctx, input));
}

async function record(
  ctx: RecordingCtx,
  { event, ...sender }: EventSender & { event: RecordEventInput },
): Promise<{ eventId: string }> {
  const { actor } = sender;
  const [installs, audience] = await Promise.all([
    installsOf(ctx, actor, [event]),
    audienceOf(ctx, actor.appId),
  ]);
  const toRecord = toNewEvent(ctx, event, installs);
  if (toRecord instanceof AppError) throw toRecord;
  const bounds = ctx.dailyBounds.of(sender, audience.app);
  const over = bounds.take(toRecord);
  if (over !== null && toRecord.mark === null) throw over;
  if (over === null && (await storeAtOnce(ctx, toRecord, { installs, audience, bounds })))
    return { eventId: eventIdOf(toRecord.row) };
  // Its identifier is an earlier event's, or its install changed meanwhile: a transaction finds out which.
  const [outcome] = await recordAll(ctx, sender, [event]);
  if (outcome instanceof AppError) throw outcome;
  if (outcome === undefined) throw new Error('an event has no outcome');
  return { eventId: eventIdOf(outcome) };
}

/** In one trip to the database. Gives false, and stores nothing, where what was read before does not hold any more. */
async function storeAtOnce(
  ctx: RecordingCtx,
  event: NewEvent,
  {
    installs,
    audience: { app, subscriptions },
    bounds,
  }: { installs: Installs; audience: Audience; bounds: CallBounds },
): Promise<boolean> {
  const { row } = event;
  const install = installs.get(row.install_id);
  const outbox = outboxOf(ctx, app.id, subscriptions, toldOf(app, [row], installs));
  let isStored = false;
  try {
    const failed = await ctx.store.commit([
      // An erasure waits for transactions under way, and this one begins after the install was read.
      ...(install?.user_id ? [installIsOf(ctx.db, install, install.user_id)] : []),
      ...insertEvent(ctx.db, event),
      ...insertOutbox(ctx.db, outbox),
      // Last, since other transactions that add to the same counts wait from here on.
      addCounts(ctx.db, countsOf(ctx, [row], installs)),
    ]);
    isStored = failed === null;
  } finally {
    if (!isStored) bounds.giveBack(event);
  }
  if (isStored) ctx.courier.wake(outbox.deliveries);
  return isStored;
}

/**
 * Records a batch in one transaction. Gives one result for each event, in order; a bad one spoils no other.
 * @throws AppError `event.daily_limit` where every event is over a bound: a client that reads only the status keeps them.
 * @param input `events`: an AppError where the body was read and an event found at fault.
 */
export async function recordEvents(
  ctx: RecordingCtx,
  { events, ...sender }: EventSender & { events: readonly unknown[] },
): Promise<EventResult[]> {
  const checked = events.map((event) => {
    if (event instanceof AppError) return event;
    const fault = checkEvent(event);
    return fault === null ? (event as RecordEventInput) : new AppError('request.invalid', { message: fault });
  });
  const outcomes = await recordAll(ctx, sender, checked);
  const [first] = outcomes;
  if (first instanceof AppError && outcomes.every(isOverBound)) throw first;
  return outcomes.map((outcome) =>
    outcome instanceof AppError
      ? { status: outcome.status, error: outcome.message }
      : { status: 201, eventId: eventIdOf(outcome) },
  );
}

function isOverBound(outcome: EventsTable | AppError): boolean {
  return outcome instanceof AppError && outcome.code === 'event.daily_limit';
}

/** What is a fault already stays one. */
async function recordAll(
  ctx: RecordingCtx,
  sender: EventSender,
  events: readonly (RecordEventInput | AppError)[],
): Promise<(EventsTable | AppError)[]> {
  const { app, subscriptions } = await audienceOf(ctx, sender.actor.appId);
  const bounds = ctx.dailyBounds.of(sender, app);
  const taken = new Set<NewEvent>();
  const giveBack = (event: NewEvent) => {
    if (taken.delete(event)) bounds.giveBack(event);
  };
  try {
    const { outcomes, deliveries } = await inTransaction(ctx, async (tx) => {
      const installs = await installsOf(tx, sender.actor, events);
      const checked = events.map((event) =>
        event instanceof AppError ? event : toNewEvent(tx, event, installs),
      );
      const good = checked.filter((event): event is NewEvent => !(event instanceof AppError));
      const over = await takeAll(tx, app.id, bounds, { events: good, taken });
      const fates = await insertEvents(
        tx,
        app.id,
        good.filter((event) => !over.has(event)),
      );
      const news = good.filter((event) => fates.get(event) === 'new');
      for (const event of taken) if (fates.get(event) !== 'new') giveBack(event);
      const rows = news.map(({ row }) => row);
      const told = await publishMany(tx, app.id, subscriptions, toldOf(app, rows, installs));
      // Last, since other transactions that add to the same counts wait from here on.
      if (rows.length > 0) await addCounts(tx.db, countsOf(tx, rows, installs)).execute();
      return {
        outcomes: checked.map((event) => {
          if (event instanceof AppError) return event;
          if (fates.get(event) === 'taken') return new AppError('record.id_taken');
          return over.get(event) ?? event.row;
        }),
        deliveries: told,
      };
    });
    ctx.courier.wake(deliveries);
    return outcomes;
  } catch (error) {
    for (const event of taken) giveBack(event);
    throw error;
  }
}

/**
 * Counts events into `taken` until a daily bound is reached.
 * @returns the others with their faults, but for those that were recorded before: a retry gets its first answer.
 */
async function takeAll(
  tx: RecordingCtx,
  appId: string,
  bounds: CallBounds,
  { events, taken }: { events: readonly NewEvent[]; taken: Set<NewEvent> },
): Promise<ReadonlyMap<NewEvent, AppError>> {
  const over = new Map<NewEvent, AppError>();
  for (const event of events) {
    const fault = bounds.take(event);
    if (fault === null) taken.add(event);
    else over.set(event, fault);
  }
  const marks = [...over.keys()].flatMap(({ mark }) => mark ?? []);
  const known = new Set((await listMarked(tx, appId, marks)).map(({ mark }) => mark));
  for (const event of over.keys()) if (event.mark !== null && known.has(event.mark)) over.delete(event);
  return over;
}

/** By their id. */
type Installs = ReadonlyMap<string, InstallSummary>;

/** Those that the events name and the caller may see. */
async function installsOf(
  tx: PublishingCtx,
  actor: Actor,
  events: readonly (RecordEventInput | AppError)[],
): Promise<Installs> {
  const ids = events.flatMap((event) => (event instanceof AppError ? [] : [event.installId.toLowerCase()]));
  const installs = await listInstalls(tx.db, actor.appId, [...new Set(ids)]);
  return new Map(installs.filter((row) => canSee(actor, row)).map((install) => [install.id, install]));
}

/** Who is told of an app's events, and what they know it by. */
interface Audience {
  readonly app: AppRow;
  readonly subscriptions: readonly Subscription[];
}

/** Read before a transaction: within one nobody asks for a second connection. */
async function audienceOf(ctx: PublishingCtx, appId: string): Promise<Audience> {
  const app = await ctx.appDirectory.get(appId);
  return { app, subscriptions: await ctx.subscriptions.get(appId) };
}

function toldOf(app: AppRow, events: readonly EventsTable[], installs: Installs): WebhookEvent[] {
  return events.map((event) =>
    eventRecorded(event, { appName: app.name, install: installs.get(event.install_id) }),
  );
}

function countsOf(ctx: Ctx, events: readonly EventsTable[], installs: Installs): DailyCountsTable[] {
  const records = events.flatMap(({ install_id, created_at }) => {
    const install = installs.get(install_id);
    return install === undefined ? [] : [{ ...install, recordedAt: created_at }];
  });
  return toCounts(ctx, 'event', records);
}

function toNewEvent(ctx: Ctx, event: RecordEventInput, installs: Installs): NewEvent | AppError {
  const install = installs.get(event.installId.toLowerCase());
  if (install === undefined) return new AppError('install.not_found');
  const properties = JSON.stringify(event.properties ?? {});
  if (Buffer.byteLength(properties) > MAX_PROPERTIES_BYTES)
    return new AppError('request.invalid', { message: 'properties must be at most 32 KiB as JSON.' });
  const nowMs = ctx.clock.nowMs();
  const occurredAtMs = event.occurredAt ? Date.parse(event.occurredAt) : nowMs;
  // The format allows leap seconds, which no clock here has, and years that not every database has.
  if (Number.isNaN(occurredAtMs) || occurredAtMs < 0 || occurredAtMs > LATEST_MS)
    return new AppError('request.invalid', { message: 'occurredAt must be a date-time from 1970 to 9999.' });
  const clientEventId = event.eventId?.toLowerCase() ?? null;
  const row = {
    app_id: install.app_id,
    id: ctx.ids.next(),
    client_event_id: clientEventId,
    install_id: install.id,
    event_name: event.eventName,
    properties,
    user_id: event.userId ?? install.user_id,
    sandbox: toFlag(install.sandbox === 1),
    occurred_at: isoTime(occurredAtMs),
    created_at: isoTime(nowMs),
  };
  return { row, mark: clientEventId === null ? null : ctx.secrets.markId(row.app_id, clientEventId) };
}
