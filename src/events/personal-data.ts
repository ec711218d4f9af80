import type { Db, EventsTable } from '../db/index.ts';
import { type Person, type PersonalData, pages } from '../personal-data.ts';
import { eventIdOf } from './event.ts';
import { listEventsOf } from './queries.ts';

/** Finds events by install too, since an install may be identified after its events. */
export const eventsOfPerson: PersonalData<'events', EventsTable> = {
  table: 'events',
  erased: { client_event_id: null, user_id: null, properties: '{}', transaction_id: null },
  find,
  ownerOf: (event) => ({ userId: event.user_id, installIds: [event.install_id], openIds: [] }),
  recordedAt: (event) => event.created_at,
  exportedAs: 'events',
  present: (event) => ({
    id: eventIdOf(event),
    eventName: event.event_name,
    properties: event.properties,
    transactionId: event.transaction_id,
    createdAt: event.created_at,
    installId: event.install_id,
    userId: event.user_id,
    occurredAt: event.occurred_at,
    sandbox: event.sandbox === 1,
  }),
};

async function* find(db: Db, { appId, userId, installs, neighbours }: Person): AsyncGenerator<EventsTable[]> {
  if (userId !== null)
    yield* pages<EventsTable>((after, limit) =>
      listEventsOf(db, appId, { column: 'user_id', value: userId, after: after?.id ?? null, limit }),
    );
  for (const value of [...installs, ...neighbours])
    yield* pages<EventsTable>((after, limit) =>
      listEventsOf(db, appId, { column: 'install_id', value, after: after?.id ?? null, limit }),
    );
}
