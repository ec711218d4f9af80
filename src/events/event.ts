import type { listInstalls } from '../attribution/index.ts';
import { type EventsTable, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime, LATEST_MS } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import type { NewEvent } from './queries.ts';
import type { RecordEventInput } from './schemas.ts';

export type InstallSummary = Awaited<ReturnType<typeof listInstalls>>[number];

const MAX_PROPERTIES_BYTES = 32 * 1024;

/** @returns AppError `request.invalid` for values that the schema cannot check. */
export function toNewEvent(
  { clock, ids, secrets }: { clock: Clock; ids: Ids; secrets: Secrets },
  event: RecordEventInput,
  install: InstallSummary,
): NewEvent | AppError {
  const properties = JSON.stringify(event.properties ?? {});
  if (Buffer.byteLength(properties) > MAX_PROPERTIES_BYTES)
    return new AppError('request.invalid', { message: 'properties must be at most 32 KiB as JSON.' });
  const nowMs = clock.nowMs();
  const occurredAtMs = event.occurredAt ? Date.parse(event.occurredAt) : nowMs;
  // The date-time format allows leap seconds, which are NaN here, and years that not every database supports.
  if (Number.isNaN(occurredAtMs) || occurredAtMs < 0 || occurredAtMs > LATEST_MS)
    return new AppError('request.invalid', { message: 'occurredAt must be a date-time from 1970 to 9999.' });
  const clientEventId = event.eventId?.toLowerCase() ?? null;
  const row = {
    app_id: install.app_id,
    id: ids.next(),
    client_event_id: clientEventId,
    install_id: install.id,
    event_name: event.eventName,
    properties,
    user_id: event.userId ?? install.user_id,
    sandbox: toFlag(install.sandbox === 1),
    occurred_at: isoTime(occurredAtMs),
    created_at: isoTime(nowMs),
  };
  return { row, mark: clientEventId === null ? null : secrets.markId(row.app_id, clientEventId) };
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
