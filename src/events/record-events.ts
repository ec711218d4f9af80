import type { AppDirectory, AppRow } from '../apps/index.ts';
import { activityOf, installIsOf, recordActivity, updateActiveDays } from '../attribution/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Db, EventsTable, Store, Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { InTurn } from '../lib/turns.ts';
import { eventFacts, insertFacts, type PendingCount } from '../stats/index.ts';
import {
  createOutbox,
  type Dispatcher,
  insertOutbox,
  publishMany,
  type Subscription,
  type Subscriptions,
  type WebhookEvent,
} from '../webhooks/index.ts';
import type { DailyLimits, EventSender, SenderLimits } from './daily-limits.ts';
import {
  countedEvent,
  eventIdOf,
  type InstallSummary,
  SESSION_START,
  toNewEvent,
  toWebhookEvent,
} from './event.ts';
import { installOf, type KnownInstalls, readInstalls } from './known-installs.ts';
import { clockLagMs } from './occurred-at.ts';
import { insertEvent, insertEvents, listMarked, type NewEvent } from './queries.ts';
import type { RecordEventInput } from './schemas.ts';

/** Dependencies of recording events. */
export interface EventDeps {
  readonly store: Store;
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly appDirectory: AppDirectory;
  readonly subscriptions: Subscriptions;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
  readonly dailyLimits: DailyLimits;
  readonly recordings: InFlight;
  /** By app. */
  readonly inTurn: InTurn;
  /** Events of a batch whose turn has not come by then are left to a later call. */
  readonly maxBatchMs: number;
}

/** Read before a transaction, which holds a connection. */
export interface Call {
  readonly actor: Actor;
  readonly app: AppRow;
  readonly subscriptions: readonly Subscription[];
  readonly limits: SenderLimits;
  /** See `clockLagMs`; by the time when the call arrived. */
  lagOf(event: RecordEventInput): number;
}

type InstallsById = KnownInstalls['byId'];

/** @throws AppError `install.not_found`, `install.erased`, `record.id_taken`, `event.daily_limit`, `request.invalid`. */
export async function recordEvent(
  deps: EventDeps,
  { event: input, ...sender }: EventSender & { event: RecordEventInput },
): Promise<{ eventId: string }> {
  return await deps.recordings.during(async () => {
    const [call, known] = await Promise.all([
      prepareCall(deps, sender),
      readInstalls(deps, sender.actor, [input]),
    ]);
    const event = toEvent(deps, call, input, known);
    if (event instanceof AppError) throw event;
    const installs = known.byId;
    if (event.row.event_name === SESSION_START) {
      const install = installs.get(event.row.install_id);
      if (install !== undefined) await recordSession(deps, install);
      return { eventId: eventIdOf(event.row) };
    }
    const refusal = call.limits.take(event.row);
    if (refusal !== null && event.mark === null) throw refusal;
    if (refusal === null && (await tryStore(deps, call, event, installs)))
      return { eventId: eventIdOf(event.row) };
    // Either the client's event ID exists or the install has changed; the transaction finds out.
    const [outcome = new AppError('internal')] = await deps.inTurn(call.app.id, () =>
      recordAll(deps, call, [input]),
    );
    if (outcome instanceof AppError) throw outcome;
    return { eventId: eventIdOf(outcome) };
  });
}

/** A concurrent call that makes this one fail has recorded the same activity. */
async function recordSession({ db, store, clock }: EventDeps, install: InstallSummary): Promise<void> {
  const activity = activityOf(install, clock.nowMs());
  if (activity === null) return;
  const update = updateActiveDays(db, install, { active_days: activity.activeDays });
  await store.commit([update, insertFacts(db, [activity.fact])], install.app_id);
}

/** Stores an event in one round trip. @returns false if its ID exists or its install has changed since it was read. */
async function tryStore(
  { db, store, clock, ids, dispatcher }: EventDeps,
  { app, subscriptions, limits }: Call,
  event: NewEvent,
  installs: InstallsById,
): Promise<boolean> {
  const { row } = event;
  const install = installs.get(row.install_id);
  const outbox = createOutbox({ clock, ids }, app.id, subscriptions, toWebhookEvents(app, [row], installs));
  const activity = install === undefined ? null : activityOf(install, clock.nowMs());
  const facts = factsOf([row], installs);
  let isStored = false;
  try {
    const failed = await store.commit(
      [
        // An erasure may have removed the user after the install was read.
        ...(install?.user_id ? [installIsOf(db, install, install.user_id)] : []),
        ...insertEvent(db, event),
        ...insertOutbox(db, outbox),
        ...(install === undefined || activity === null
          ? []
          : [updateActiveDays(db, install, { active_days: activity.activeDays })]),
        insertFacts(db, activity === null ? facts : [...facts, activity.fact]),
      ],
      app.id,
    );
    isStored = failed === null;
  } finally {
    if (!isStored) limits.giveBack(row);
  }
  if (isStored) dispatcher.wake(outbox.deliveries);
  return isStored;
}

export async function prepareCall(deps: EventDeps, sender: EventSender, sentAt?: unknown): Promise<Call> {
  const { actor } = sender;
  const nowMs = deps.clock.nowMs();
  const app = await deps.appDirectory.get(actor.appId);
  const subscriptions = await deps.subscriptions.get(actor.appId);
  return {
    ...{ actor, app, subscriptions, limits: deps.dailyLimits.forSender(sender, app) },
    lagOf: (event) => clockLagMs(event.sentAt ?? sentAt, nowMs),
  };
}

export type Input = RecordEventInput | AppError;
export type Outcome = EventsTable | AppError;

/** In one transaction. Passes through the errors among its inputs. */
export async function recordAll(
  { db, clock, ids, secrets, dispatcher }: EventDeps,
  call: Call,
  inputs: readonly Input[],
): Promise<Outcome[]> {
  const { actor, app, subscriptions, limits } = call;
  const counted = new Set<NewEvent>();
  const giveBack = (event: NewEvent) => {
    if (counted.delete(event)) limits.giveBack(event.row);
  };
  try {
    const { outcomes, deliveries } = await db.transaction().execute(async (tx) => {
      const known = await readInstalls({ db: tx, secrets }, actor, inputs);
      const installs = known.byId;
      const checked = inputs.map((input) =>
        input instanceof AppError ? input : toEvent({ clock, ids, secrets }, call, input, known),
      );
      const valid = checked.filter((event): event is NewEvent => !(event instanceof AppError));
      const toStore = valid.filter(({ row }) => row.event_name !== SESSION_START);
      const refusals = await takeAll(tx, app.id, limits, { events: toStore, counted });
      const accepted = toStore.filter((event) => !refusals.has(event));
      const { statuses, rows: inserted } = await insertEvents(tx, app.id, accepted);
      for (const event of counted) if (statuses.get(event) !== 'inserted') giveBack(event);
      const rows = [...inserted.values()];
      const published = await publishMany(
        tx,
        { clock, ids },
        app.id,
        subscriptions,
        toWebhookEvents(app, rows, installs),
      );
      const active = installsOf(
        valid.filter((event) => inserted.has(event) || event.row.event_name === SESSION_START),
        installs,
      );
      const activity = await recordActivity(tx, app.id, { installs: active, nowMs: clock.nowMs() });
      const facts = [...factsOf(rows, installs), ...activity];
      if (facts.length > 0) await insertFacts(tx, facts).execute();
      return {
        outcomes: checked.map((event) => {
          if (event instanceof AppError) return event;
          if (statuses.get(event) === 'id_taken') return new AppError('record.id_taken');
          return refusals.get(event) ?? event.row;
        }),
        deliveries: published,
      };
    });
    dispatcher.wake(deliveries);
    return outcomes;
  } catch (error) {
    for (const event of counted) giveBack(event);
    throw error;
  }
}

/**
 * Adds the events within the limits to `counted`.
 * @returns the refusals of the others, except for retries of recorded events.
 */
async function takeAll(
  tx: Transaction,
  appId: string,
  limits: SenderLimits,
  { events, counted }: { events: readonly NewEvent[]; counted: Set<NewEvent> },
): Promise<ReadonlyMap<NewEvent, AppError>> {
  const refusals = new Map<NewEvent, AppError>();
  for (const event of events) {
    const refusal = limits.take(event.row);
    if (refusal === null) counted.add(event);
    else refusals.set(event, refusal);
  }
  const marks = [...refusals.keys()].flatMap(({ mark }) => mark ?? []);
  const recorded = new Set((await listMarked(tx, appId, marks)).map(({ mark }) => mark));
  for (const event of refusals.keys())
    if (event.mark !== null && recorded.has(event.mark)) refusals.delete(event);
  return refusals;
}

function toEvent(
  deps: { clock: Clock; ids: Ids; secrets: Secrets },
  { lagOf }: Call,
  input: RecordEventInput,
  known: KnownInstalls,
): NewEvent | AppError {
  const install = installOf(known, input);
  return install instanceof AppError ? install : toNewEvent(deps, input, { install, lagMs: lagOf(input) });
}

function toWebhookEvents(app: AppRow, rows: readonly EventsTable[], installs: InstallsById): WebhookEvent[] {
  return rows.map((row) =>
    toWebhookEvent(row, { appName: app.name, platform: installs.get(row.install_id)?.platform }),
  );
}

function factsOf(rows: readonly EventsTable[], installs: InstallsById): PendingCount[] {
  return eventFacts(
    rows.flatMap((row) => {
      const install = installs.get(row.install_id);
      return install === undefined ? [] : countedEvent(row, install);
    }),
  );
}

function installsOf(events: readonly NewEvent[], installs: InstallsById): InstallSummary[] {
  const ids = new Set(events.map(({ row }) => row.install_id));
  return [...ids].flatMap((id) => installs.get(id) ?? []);
}
