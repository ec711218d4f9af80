import type { EventsTable } from '../platform/db/index.ts';

/** What callers, webhooks and exports know an event by: the identifier that the client made, or ours where it made none. */
export function eventIdOf({ client_event_id, id }: Pick<EventsTable, 'id' | 'client_event_id'>): string {
  return client_event_id ?? id;
}
