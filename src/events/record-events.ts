import { type Actor, canSee } from '../apps/index.ts';
import { listInstalls } from '../attribution/index.ts';
import { isoTime, LATEST_MS } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { type EventsTable, toFlag } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import { compileCheck } from '../platform/http/validation.ts';
import { addCounts, toCounts } from '../reports/index.ts';
import { outboxOf, type PublishingCtx, storeOutbox } from '../webhooks/index.ts';
import { eventIdOf } from './event.ts';
import { insertEvents, type NewEvent } from './queries.ts';
import { type EventResult, RecordEvent, type RecordEventInput } from './schemas.ts';
import { eventRecorded, type KnownInstall } from './webhook-event.ts';

const MAX_PROPERTIES_BYTES = 32 * 1024;
const checkEvent = compileCheck(RecordEvent, 'event');

/** Records one event. */
export async function recordEvent(
  ctx: PublishingCtx,
  { actor, event }: { actor: Actor; event: RecordEventInput },
): Promise<{ eventId: string }> {
  const [outcome] = await recordAll(ctx, actor, [event]);
  if (outcome instanceof AppError) throw outcome;
  if (outcome === undefined) throw new Error('an event has no outcome');
  return { eventId: eventIdOf(outcome) };
}

/** Records a batch in one transaction. Gives one result for each event, in order; a bad one spoils no other. */
export async function recordEvents(
  ctx: PublishingCtx,
  { actor, events }: { actor: Actor; events: readonly unknown[] },
): Promise<EventResult[]> {
  const checked = events.map((event) => {
    const fault = checkEvent(event);
    return fault === null ? (event as RecordEventInput) : new AppError('request.invalid', { message: fault });
  });
  const outcomes = await recordAll(ctx, actor, checked);
  return outcomes.map((outcome) =>
    outcome instanceof AppError
      ? { status: outcome.status, error: outcome.message }
      : { status: 201, eventId: eventIdOf(outcome) },
  );
}

/** What is a fault already stays one. */
async function recordAll(
  ctx: PublishingCtx,
  actor: Actor,
  events: readonly (RecordEventInput | AppError)[],
): Promise<(EventsTable | AppError)[]> {
  const app = await ctx.appDirectory.get(actor.appId);
  const subscriptions = await ctx.subscriptions.get(app.id);
  const { outcomes, deliveries } = await inTransaction(ctx, async (tx) => {
    const installs = await installsOf(tx, actor, events);
    const checked = events.map((event) =>
      event instanceof AppError ? event : toNewEvent(tx, event, installs.get(event.installId.toLowerCase())),
    );
    const good = checked.filter((event): event is NewEvent => !(event instanceof AppError));
    const fates = await insertEvents(tx, actor.appId, good);
    const news = good.filter((event) => fates.get(event) === 'new').map(({ row }) => row);
    const told = news.map((event) =>
      eventRecorded(event, { appName: app.name, install: installs.get(event.install_id) }),
    );
    const outbox = outboxOf(tx, app.id, subscriptions, told);
    await storeOutbox(tx, outbox);
    await countEvents(tx, news, installs);
    return {
      outcomes: checked.map((event) => {
        if (event instanceof AppError) return event;
        return fates.get(event) === 'taken' ? new AppError('record.id_taken') : event.row;
      }),
      deliveries: outbox.deliveries,
    };
  });
  ctx.courier.wake(deliveries);
  return outcomes;
}

/** Those that the events name and the caller may see, by their id. */
async function installsOf(
  tx: PublishingCtx,
  actor: Actor,
  events: readonly (RecordEventInput | AppError)[],
): Promise<ReadonlyMap<string, KnownInstall>> {
  const ids = events.flatMap((event) => (event instanceof AppError ? [] : [event.installId.toLowerCase()]));
  const installs = await listInstalls(tx.db, actor.appId, [...new Set(ids)]);
  return new Map(installs.filter((row) => canSee(actor, row)).map((install) => [install.id, install]));
}

/** The transaction's last statement, since whoever adds to the same counts waits from there on. */
async function countEvents(
  tx: Ctx,
  events: readonly EventsTable[],
  installs: ReadonlyMap<string, KnownInstall>,
): Promise<void> {
  const records = events.flatMap(({ install_id, created_at }) => {
    const install = installs.get(install_id);
    return install === undefined ? [] : [{ ...install, recordedAt: created_at }];
  });
  if (records.length > 0) await addCounts(tx.db, toCounts(tx, 'event', records)).execute();
}

function toNewEvent(
  ctx: Ctx,
  event: RecordEventInput,
  install: KnownInstall | undefined,
): NewEvent | AppError {
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
