import { type Static, Type } from 'typebox';
import { Id, JsonObject, Nullable, Text } from '../server/schemas.ts';

export const MAX_BATCH = 500;

const RevenueInput = Type.Object({
  amount: Text(
    '^-?[0-9]{1,12}(\\.[0-9]{1,4})?$',
    'a decimal such as 19.99, with a minus for a refund, of at most 12 digits before and 4 after the point',
  ),
  currency: Text('^[A-Z]{3}$', 'a code of ISO 4217 such as EUR'),
});
const UserId = Type.String({ minLength: 1, maxLength: 255 });

/** Body of `POST /v1/sdk/event`, and each event of `POST /v1/sdk/events`. */
export const RecordEvent = Type.Object({
  installId: Id,
  eventName: Type.String({ minLength: 1, maxLength: 255 }),
  properties: Type.Optional(Nullable(JsonObject(), { description: 'At most 32 KiB as JSON' })),
  userId: Type.Optional(
    Nullable(UserId, { description: 'Default: the user that identify linked to the install' }),
  ),
  eventId: Type.Optional(
    Nullable(Id, { description: 'UUID made by the client: a retry with it records no second event' }),
  ),
  revenue: Type.Optional(Nullable(RevenueInput)),
  transactionId: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description:
        'The revenue of a transaction counts once in an app; a repeated one is stored without revenue',
    }),
  ),
  occurredAt: Type.Optional(Nullable(Type.String({ format: 'date-time' }), { description: 'Default: now' })),
});
export type RecordEventInput = Static<typeof RecordEvent>;

/** The handler validates each item, so that an invalid event does not fail the others. */
export const RecordEvents = Type.Object({
  events: Type.Array(Type.Unsafe<unknown>({ description: 'As the body of POST /v1/sdk/event' }), {
    maxItems: MAX_BATCH,
  }),
});

/** Answer of `POST /v1/sdk/event`. */
export const EventRecorded = Type.Object({ eventId: Id });
/** Answer of `POST /v1/sdk/events`. */
export const EventsRecorded = Type.Object({
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: '201, 400, 404, 409 or 429, as for a single event' }),
      eventId: Type.Optional(Id),
      error: Type.Optional(Type.String()),
    }),
    { description: 'One per event, in order' },
  ),
});
export type EventResult = Static<typeof EventsRecorded>['results'][number];

/** Body of `POST /v1/sdk/identify`. */
export const Identify = Type.Object({ installId: Id, userId: UserId });
export type IdentifyInput = Static<typeof Identify>;
