import { type EventIdsTable, type EventsTable, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type CountedInstall, readLastOpen } from '../installs/index.ts';
import { isoTime } from '../lib/clock.ts';
import type { CountedEvent } from '../stats/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import { MAX_PROPERTIES_BYTES } from './limits.ts';
import { occurredAtMs } from './occurred-at.ts';
import type { RecordEventInput } from './schemas.ts';

export interface NewEvent {
  readonly row: EventsTable;
  /** Keyed hash of the client's event ID; null without one. */
  readonly mark: string | null;
  /** Keyed hash of the transaction whose revenue counts once; null without one. */
  readonly transactionMark: string | null;
}

/** Reserved for SDKs: the install was active, without an event. */
export const SESSION_START = 'session_start';

/**
 * @param lagMs see `clockLagMs`.
 * @returns AppError `request.invalid` for values that the schema cannot check.
 */
export function toNewEvent(
  { clock, ids, secrets }: Pick<Foundation, 'clock' | 'ids' | 'secrets'>,
  event: RecordEventInput,
  { install, lagMs }: { install: CountedInstall; lagMs: number },
): NewEvent | AppError {
  const properties = JSON.stringify(event.properties ?? {});
  if (Buffer.byteLength(properties) > MAX_PROPERTIES_BYTES)
    return new AppError('request.invalid', {
      message: `properties must be at most ${MAX_PROPERTIES_BYTES / 1024} KiB as JSON.`,
    });
  const nowMs = clock.nowMs();
  const happenedMs = occurredAtMs(event.occurredAt, { nowMs, lagMs });
  if (happenedMs === null)
    return new AppError('request.invalid', {
      message: 'occurredAt must be a date-time since 1970, and no leap second.',
    });
  const revenue = event.revenue ?? null;
  const clientEventId = event.eventId?.toLowerCase() ?? null;
  const lastOpen = readLastOpen(install, nowMs);
  const row = {
    app_id: install.app_id,
    id: ids.next(),
    client_event_id: clientEventId,
    install_id: install.id,
    event_name: event.eventName,
    properties,
    // Null says that nobody was signed in; a client that leaves it out does not know.
    user_id: event.userId === undefined ? install.user_id : event.userId,
    sandbox: toFlag(install.sandbox === 1),
    occurred_at: isoTime(happenedMs),
    created_at: isoTime(nowMs),
    erased: null,
    erased_at: null,
    link_id: install.link_id,
    campaign_id: install.campaign_id,
    platform: install.platform,
    country: install.country,
    last_link_id: lastOpen?.linkId ?? null,
    last_campaign_id: lastOpen?.campaignId ?? null,
    revenue_amount: revenue?.amount ?? null,
    revenue_currency: revenue?.currency ?? null,
    transaction_id: event.transactionId ?? null,
    repeats_transaction: null,
  };
  const markOf = (text: string) => secrets.markId(row.app_id, text);
  return {
    row,
    mark: clientEventId === null ? null : markOf(clientEventId),
    transactionMark:
      event.transactionId && revenue ? transactionMarkOf({ secrets }, row, event.transactionId) : null,
  };
}

/** The mark under which the event of a transaction with revenue is found. */
export function transactionMarkOf(
  { secrets }: Pick<Foundation, 'secrets'>,
  { app_id, sandbox }: Pick<EventsTable, 'app_id' | 'sandbox'>,
  transactionId: string,
): string {
  // Test keys are in apps that anybody can read: a sandbox transaction takes no live revenue.
  const kind = sandbox === 1 ? 'sandbox transaction' : 'transaction';
  return secrets.markId(app_id, `${kind} ${transactionId}`);
}

/** `recorded_before` is a retry; `id_taken` if the client's event ID belongs to another install. */
type EventStatus = 'new' | 'recorded_before' | 'id_taken';

export type Marked = Pick<EventIdsTable, 'mark' | 'event_id' | 'install_id'>;

/**
 * Each event is new once; of duplicates in a batch, the first. An event of a transaction that was counted before has no
 * revenue.
 * @param stored the marks that are known to be stored.
 * @returns the rows of new events and their marks, with those of their transactions.
 */
export function chooseNew(
  events: readonly NewEvent[],
  stored: readonly Marked[],
): { statuses: ReadonlyMap<NewEvent, EventStatus>; rows: EventsTable[]; marks: EventIdsTable[] } {
  const known = new Map(stored.map((each) => [each.mark, each]));
  const statuses = new Map<NewEvent, EventStatus>();
  const rows: EventsTable[] = [];
  const marks: EventIdsTable[] = [];
  /** @returns what has the mark: the event itself if it is new. */
  const take = (id: EventIdsTable): Marked => {
    const first = known.get(id.mark);
    if (first !== undefined) return first;
    known.set(id.mark, id);
    marks.push(id);
    return id;
  };
  for (const event of events) {
    const { row } = event;
    const id = toEventId(event);
    const first = id === null ? null : take(id);
    if (first !== null && first.event_id !== row.id) {
      statuses.set(event, first.install_id === row.install_id ? 'recorded_before' : 'id_taken');
      continue;
    }
    statuses.set(event, 'new');
    const transaction = toTransactionId(event);
    const isCounted = transaction === null || take(transaction).event_id === row.id;
    rows.push(isCounted ? row : { ...row, ...REPEATED });
  }
  return { statuses, rows, marks };
}

const REPEATED = { revenue_amount: null, revenue_currency: null, repeats_transaction: 1 } as const;

function toTransactionId({ row, transactionMark }: NewEvent): EventIdsTable | null {
  return toEventId({ row, mark: transactionMark });
}

function toEventId({ row, mark }: Pick<NewEvent, 'row' | 'mark'>): EventIdsTable | null {
  if (mark === null) return null;
  return { app_id: row.app_id, mark, event_id: row.id, install_id: row.install_id };
}

/** @param install the event's. */
export function countedEvent(
  row: Pick<
    EventsTable,
    'created_at' | 'event_name' | 'last_link_id' | 'last_campaign_id' | 'revenue_amount' | 'revenue_currency'
  >,
  install: CountedInstall,
): CountedEvent {
  const { revenue_amount: amount, revenue_currency: currency } = row;
  return {
    ...install,
    recordedAt: row.created_at,
    eventName: row.event_name,
    revenue: amount === null || currency === null ? null : { amount, currency },
    lastLinkId: row.last_link_id,
    lastCampaignId: row.last_campaign_id,
  };
}

/** The public ID: the client's if it sent one. */
export function eventIdOf({ client_event_id, id }: Pick<EventsTable, 'id' | 'client_event_id'>): string {
  return client_event_id ?? id;
}

/** The order of the fields is documented. */
export function toWebhookEvent(
  event: EventsTable,
  { appName, platform }: { appName: string; platform: string | undefined },
): WebhookEvent {
  return {
    type: 'event.recorded',
    timestamp: event.occurred_at,
    isSandbox: event.sandbox === 1,
    recordId: event.id,
    data: {
      eventId: eventIdOf(event),
      installId: event.install_id,
      eventName: event.event_name,
      properties: event.properties,
      appName,
      platform: platform?.toLowerCase() ?? '',
      userId: event.user_id,
    },
  };
}
