import { type Static, Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';
import { MAX_WAITING, MAX_WAITING_OF_CUSTOMER, MAX_WAITING_SANDBOX, WAITING_KEPT_DAYS } from './waiting.ts';

/** Body of `POST /v1/integrations/revenuecat/{appId}`. */
export const RevenueCatNotification = Named('RevenueCatNotification', {
  event: Named(
    'RevenueCatEvent',
    {
      id: Type.String({ minLength: 1, maxLength: 255 }),
      type: Type.String({ minLength: 1, maxLength: 64 }),
    },
    { additionalProperties: true, description: 'As RevenueCat documents it: a wrong field is as none' },
  ),
});
export type RevenueCatEvent = Static<typeof RevenueCatNotification>['event'];

export const OUTCOMES = ['recorded', 'waiting', 'counted', 'unnamed', 'erased'] as const;
/** Answer of `POST /v1/integrations/revenuecat/{appId}`. */
export const RevenueCatReceived = Named('RevenueCatReceived', {
  outcome: Type.Enum([...OUTCOMES], {
    description: `recorded: an event of an install, now or before. waiting: of a customer whom the app has not identified yet. counted: its kind records nothing. unnamed: it has no usable ID of a customer, and is not kept. erased: its install was erased or deleted`,
  }),
});

/** Answer of `GET /v1/integrations/revenuecat`. */
export const RevenueCatStatus = Named('RevenueCatStatus', {
  address: Type.String({ description: 'Where RevenueCat sends to' }),
  isOn: Type.Boolean({ description: 'Whether the app has revenuecatAuthorization' }),
  lastReceivedAt: Nullable(Timestamp),
  kinds: Type.Array(
    Named('RevenueCatKind', {
      kind: Type.String({ description: 'As RevenueCat names it; OTHER for the rest of many unknown ones' }),
      isKnown: Type.Boolean({ description: 'false: this version only counts it' }),
      received: Type.Integer({ minimum: 0, description: 'Repetitions included' }),
      dropped: Type.Integer({
        minimum: 0,
        description: `Never recorded: they named no customer, had waited ${WAITING_KEPT_DAYS} days, or made room for newer ones`,
      }),
      lastReceivedAt: Timestamp,
    }),
    { description: 'What was received' },
  ),
  waiting: Named('RevenueCatWaiting', {
    events: Type.Integer({
      minimum: 0,
      description: `Of customers whom the app has not identified yet; at most ${MAX_WAITING} live and ${MAX_WAITING_SANDBOX} sandbox ones, ${MAX_WAITING_OF_CUSTOMER} of a customer, for ${WAITING_KEPT_DAYS} days`,
    }),
    oldestAt: Nullable(Timestamp),
  }),
});
export type RevenueCatStatus = Static<typeof RevenueCatStatus>;
