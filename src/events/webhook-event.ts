import type { listInstalls } from '../attribution/index.ts';
import type { EventsTable } from '../platform/db/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import { eventIdOf } from './event.ts';

/** What of an install its events need to know. */
export type InstallSummary = Awaited<ReturnType<typeof listInstalls>>[number];

/** What webhooks tell of an event: the contract's fields, in its order. */
export function eventRecorded(
  event: EventsTable,
  { appName, install }: { appName: string; install: InstallSummary | undefined },
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
      platform: install?.platform.toLowerCase() ?? '',
      userId: event.user_id,
    },
  };
}
