import type { AppDirectory, AppRow } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { type EventIdsTable, type EventsTable, expectRows } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type CountedInstall, recordUse } from '../installs/index.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { InTurn } from '../lib/turns.ts';
import {
  eventCounts,
  type FirstPurchase,
  firstPurchaseOf,
  insertCounts,
  type PendingCount,
  type RecordCounters,
} from '../stats/index.ts';
import {
  createOutbox,
  type Dispatcher,
  type EnabledWebhook,
  type EnabledWebhooks,
  insertOutbox,
  type WebhookEvent,
} from '../webhooks/index.ts';
import type { DailyLimits, EventSender, SenderLimits } from './daily-limits.ts';
import {
  chooseNew,
  countedEvent,
  eventIdOf,
  type NewEvent,
  SESSION_START,
  toNewEvent,
  toWebhookEvent,
} from './event.ts';
import { checkIdentifiers, identifiersOf, SET_IDENTIFIERS } from './identifiers.ts';
import { installOf, type KnownInstalls, readInstalls } from './known-installs.ts';
import { clockLagMs } from './occurred-at.ts';
import { deleteSandboxMarks, insertEvents, listMarked } from './queries.ts';
import type { RecordEventInput } from './schemas.ts';

/** Dependencies of recording events. */
export interface EventDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'secrets' | 'log'> {
  readonly appDirectory: AppDirectory;
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Pick<Dispatcher, 'wake'>;
  readonly dailyLimits: DailyLimits;
  readonly recordings: InFlight;
  readonly counters: Pick<RecordCounters, 'happened'>;
  /** By app. */
  readonly inTurn: InTurn;
  /** Events of a batch whose turn has not come by then are left to a later call. */
  readonly maxBatchMs: number;
}

/** Read before a transaction, which holds a connection. */
export interface Call {
  readonly actor: Actor;
  readonly app: AppRow;
  readonly webhooks: readonly EnabledWebhook[];
  readonly limits: SenderLimits;
  /** See `clockLagMs`; by the time when the call arrived. */
  lagOf(event: RecordEventInput): number;
}

/** @throws AppError `install.not_found`, `install.erased`, `record.id_taken`, `event.daily_limit`, `request.invalid`. */
export async function recordEvent(
  deps: EventDeps,
  { event, ...sender }: EventSender & { event: RecordEventInput },
): Promise<{ eventId: string }> {
  return await deps.recordings.during(async () => {
    const [call, known] = await Promise.all([
      prepareCall(deps, sender),
      readInstalls(deps, sender.actor, [event]),
    ]);
    const [outcome = new AppError('internal')] = await recordAll(deps, call, [event], known);
    if (outcome instanceof AppError) throw outcome;
    return { eventId: eventIdOf(outcome) };
  });
}

export async function prepareCall(deps: EventDeps, sender: EventSender, sentAt?: unknown): Promise<Call> {
  const { actor } = sender;
  const nowMs = deps.clock.nowMs();
  const app = await deps.appDirectory.get(actor.appId);
  const webhooks = await deps.webhooks.get(actor.appId);
  return {
    ...{ actor, app, webhooks, limits: deps.dailyLimits.forSender(sender, app) },
    lagOf: (event) => clockLagMs(event.sentAt ?? sentAt, nowMs),
  };
}

export type Input = RecordEventInput | AppError;
export type Outcome = EventsTable | AppError;

/** Each further attempt follows a commit of another call that stored some of the events or changed an install. */
const MAX_ATTEMPTS = 100;

/** In one transaction. Passes through the errors among its inputs. @param known read during this call. */
export async function recordAll(
  deps: EventDeps,
  call: Call,
  inputs: readonly Input[],
  known?: KnownInstalls,
): Promise<Outcome[]> {
  // Few events are sent again, so the first attempt does not look for them.
  const first = await tryRecord(deps, call, inputs, { known, isAgain: false });
  if (first !== null) return first;
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const outcomes = await tryRecord(deps, call, inputs, { isAgain: true });
    if (outcomes !== null) return outcomes;
  }
  throw new Error(`Failed to record events in ${MAX_ATTEMPTS} attempts`);
}

/** @returns null if an event was recorded before or an install has changed since it was read. */
async function tryRecord(
  deps: EventDeps,
  call: Call,
  inputs: readonly Input[],
  { known, isAgain }: { known?: KnownInstalls | undefined; isAgain: boolean },
): Promise<Outcome[] | null> {
  const installs = known ?? (await readInstalls(deps, call.actor, inputs));
  const checked = inputs.map((input) =>
    input instanceof AppError ? input : toEvent(deps, call, input, installs),
  );
  const valid = checked.filter((event): event is NewEvent => !(event instanceof AppError));
  const toStore = valid.filter(({ row }) => !STORED_AS_NONE.has(row.event_name));
  const refusals = new Map<NewEvent, AppError>();
  const counted = new Set<NewEvent>();
  for (const event of toStore) {
    const refusal = call.limits.take(event.row);
    if (refusal === null) counted.add(event);
    else refusals.set(event, refusal);
  }
  try {
    const stale = isAgain ? deleteSandboxMarks(deps.db, call.app.id, toStore) : null;
    if (stale !== null) await deps.store.commit([stale], call.app.id);
    const marked = await listMarked(deps.db, call.app.id, isAgain ? toStore : [...refusals.keys()]);
    const { statuses, rows, marks } = chooseNew([...counted], marked);
    const others = valid.flatMap(({ row }) => (STORED_AS_NONE.has(row.event_name) ? [row] : []));
    if (!(await commit(deps, call, { rows, marks, others, installs: installs.byId }))) return null;
    for (const [event, status] of statuses) if (status === 'new') counted.delete(event);
    const recorded = new Set(marked.map(({ mark }) => mark));
    return checked.map((event) => {
      if (event instanceof AppError) return event;
      if (statuses.get(event) === 'id_taken') return new AppError('record.id_taken');
      const refusal = refusals.get(event);
      return refusal === undefined || recorded.has(event.mark ?? '') ? event.row : refusal;
    });
  } finally {
    for (const { row } of counted) call.limits.giveBack(row);
  }
}

const STORED_AS_NONE: ReadonlySet<string> = new Set([SESSION_START, SET_IDENTIFIERS]);

interface Records {
  readonly rows: readonly EventsTable[];
  readonly marks: readonly EventIdsTable[];
  /** Of reserved names: they store no event. */
  readonly others: readonly EventsTable[];
  readonly installs: KnownInstalls['byId'];
}

/** @returns false if one of the marks is stored, or an install has changed since it was read. */
async function commit(
  { db, store, clock, ids, dispatcher, counters }: EventDeps,
  { app, webhooks }: Call,
  { rows, marks, others, installs }: Records,
): Promise<boolean> {
  const sessions = others.filter(({ event_name }) => event_name === SESSION_START);
  const active = installsOf([...rows, ...sessions], installs);
  const identifiers = identifiersOf(others, installs);
  const firstPurchases = firstPurchasesOf(active, rows);
  const use = recordUse(db, active, { nowMs: clock.nowMs(), firstPurchases, identifiers });
  const added = [...countsOf(rows, installs), ...use.counts];
  if (added.length === 0 && identifiers.size === 0) return true;
  const outbox = createOutbox({ clock, ids }, app.id, webhooks, toWebhookEvents(app, rows, installs));
  const read = active.map(({ id, user_id, network_name }) => ({ id, user_id, network_name }));
  const failed = await store.commit(
    [
      // An erasure may have removed the user, a deletion the install, or a network claimed it, after it was read.
      ...(await expectRows(db, 'installs', app.id, read)),
      ...(await insertEvents(db, rows, marks)),
      ...(await insertOutbox(db, outbox)),
      ...use.writes,
      ...(added.length === 0 ? [] : [insertCounts(db, added)]),
    ],
    app.id,
  );
  if (failed !== null) return false;
  counters.happened(rows.length);
  dispatcher.wake(outbox.attempts);
  return true;
}

function toEvent(
  deps: Pick<Foundation, 'clock' | 'ids' | 'secrets'>,
  { lagOf }: Call,
  input: RecordEventInput,
  known: KnownInstalls,
): NewEvent | AppError {
  const install = installOf(known, input);
  if (install instanceof AppError) return install;
  return checkIdentifiers(input) ?? toNewEvent(deps, input, { install, lagMs: lagOf(input) });
}

function toWebhookEvents(
  app: AppRow,
  rows: readonly EventsTable[],
  installs: KnownInstalls['byId'],
): WebhookEvent[] {
  return rows.map((row) =>
    toWebhookEvent(row, { appName: app.name, platform: installs.get(row.install_id)?.platform }),
  );
}

function countsOf(rows: readonly EventsTable[], installs: KnownInstalls['byId']): PendingCount[] {
  return eventCounts(
    rows.flatMap((row) => {
      const install = installs.get(row.install_id);
      return install === undefined ? [] : countedEvent(row, install);
    }),
  );
}

function firstPurchasesOf(
  installs: readonly CountedInstall[],
  rows: readonly EventsTable[],
): ReadonlyMap<string, FirstPurchase> {
  const byInstall = Map.groupBy(rows, ({ install_id }) => install_id);
  return new Map(
    installs.flatMap((install) => {
      const purchase = firstPurchaseOf(install, byInstall.get(install.id) ?? []);
      return purchase === null ? [] : [[install.id, purchase] as const];
    }),
  );
}

function installsOf(rows: readonly EventsTable[], installs: KnownInstalls['byId']): CountedInstall[] {
  const ids = new Set(rows.map(({ install_id }) => install_id));
  return [...ids].flatMap((id) => installs.get(id) ?? []);
}
