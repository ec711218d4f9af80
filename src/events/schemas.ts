import { type Static, Type } from 'typebox';
import { ErrorCode, Id, JsonObject, Named, Nullable } from '../server/schemas.ts';
import { Revenue } from '../stats/index.ts';
import {
  CLOCK_TOLERANCE_MS,
  MAX_BATCH_EVENTS,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_PROPERTIES_BYTES,
  MAX_TRANSACTION_ID_CHARACTERS,
  MAX_USER_ID_CHARACTERS,
} from './limits.ts';

const UserId = Type.String({ minLength: 1, maxLength: MAX_USER_ID_CHARACTERS });

/** Of any type, since a wrong one refuses no event. */
const SentAt = (scope: string) =>
  Type.Optional(
    Type.Unknown({
      description: `A date-time: the time by the phone’s clock when it sends this request${scope}. If it differs from the service’s by more than ${CLOCK_TOLERANCE_MS / 1000} seconds, occurredAt is corrected by the difference. Anything else is ignored`,
    }),
  );

/** Body of `POST /v1/sdk/event`, and each event of `POST /v1/sdk/events`. */
export const RecordEvent = Named('RecordEvent', {
  installId: Id,
  eventName: Type.String({ minLength: 1, maxLength: MAX_EVENT_NAME_CHARACTERS }),
  properties: Type.Optional(
    Nullable(JsonObject(), { description: `At most ${MAX_PROPERTIES_BYTES / 1024} KiB as JSON` }),
  ),
  userId: Type.Optional(
    Nullable(UserId, {
      description: 'Default: the user that identify linked to the install. null: nobody was signed in',
    }),
  ),
  eventId: Type.Optional(
    Nullable(Id, { description: 'UUID made by the client: a retry with it records no second event' }),
  ),
  revenue: Type.Optional(Nullable(Revenue)),
  transactionId: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: MAX_TRANSACTION_ID_CHARACTERS }), {
      description:
        'The revenue of a transaction counts once in an app; a repeated one is stored without revenue. A refund needs an id of its own, such as ID-refund',
    }),
  ),
  occurredAt: Type.Optional(
    Nullable(Type.String({ format: 'date-time' }), {
      description: 'Default: now. Since 1970; a time in the future is stored as now',
    }),
  ),
  sentAt: SentAt(''),
});
export const EVENT_EXAMPLE = {
  installId: '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e',
  eventName: 'purchase',
  properties: { items: 2 },
  eventId: '01985f2f-10d2-7b6a-a4c3-5e6f7a8b9c0d',
  revenue: { amount: '19.99', currency: 'EUR' },
  transactionId: 'order-1001',
};
export type RecordEventInput = Static<typeof RecordEvent>;

/** The handler validates each item, so that an invalid event does not fail the others. */
export const RecordEvents = Type.Object({
  events: Type.Array(Type.Unsafe<unknown>({ description: 'As the body of POST /v1/sdk/event' }), {
    maxItems: MAX_BATCH_EVENTS,
  }),
  sentAt: SentAt(', for events without their own'),
});

/** `RecordEvents` as the document describes it. */
export const EventBatch = Named('RecordEvents', {
  events: Type.Array(RecordEvent, { maxItems: MAX_BATCH_EVENTS }),
  sentAt: SentAt(', for events without their own'),
});

/** Answer of `POST /v1/sdk/event`. */
export const EventRecorded = Named('EventRecorded', { eventId: Id });
/** Answer of `POST /v1/sdk/events`. */
export const EventsRecorded = Named('EventsRecorded', {
  results: Type.Array(
    Named('EventResult', {
      status: Type.Integer({ description: '201, 400, 404, 409 or 429, as for a single event' }),
      eventId: Type.Optional(Id),
      error: Type.Optional(Type.String()),
      code: ErrorCode,
    }),
    { description: 'One per event, in order' },
  ),
});
export type EventResult = Static<typeof EventsRecorded>['results'][number];

/** Body of `POST /v1/sdk/identify`. */
export const Identify = Named('Identify', { installId: Id, userId: UserId });
export type IdentifyInput = Static<typeof Identify>;
