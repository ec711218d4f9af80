import { type Static, Type } from 'typebox';
import { days } from '../server/days.ts';
import { Id, JsonObject, Named, Nullable, OnlyThese, Text, Timestamp } from '../server/schemas.ts';
import { COARSE_VALUES, MAX_CONVERSION_VALUE, SENDERS, WINDOWS } from './postback.ts';
import { KINDS, VERDICTS } from './verification/index.ts';

const Signature = Type.String({ minLength: 1, maxLength: 1_024, description: 'Base64' });
const Jws = Type.String({ minLength: 1, maxLength: 8_192, description: 'Compact JWS' });

const SIGNED_FIELDS = { additionalProperties: true };
/** The verification checks all other fields; its verdict reports their faults. */
export const SkadnetworkPostback = Named(
  'SkadnetworkPostback',
  { 'attribution-signature': Signature },
  SIGNED_FIELDS,
);
export const AdAttributionKitPostback = Named(
  'AdAttributionKitPostback',
  { 'jws-string': Jws },
  SIGNED_FIELDS,
);
/** Body of `POST /v1/skan/postbacks`. The field that is present tells the framework. */
export const PostbackCopy = Named(
  'PostbackCopy',
  { 'attribution-signature': Type.Optional(Signature), 'jws-string': Type.Optional(Jws) },
  SIGNED_FIELDS,
);

const Verdict = Type.Enum([...VERDICTS], {
  description:
    'verified: signed by Apple; invalid: not signed by Apple; unverifiable: unknown version or key',
});
const Reason = Nullable(Type.String({ description: 'Why the postback is not verified' }));
const UnsignedFields = Type.Array(Type.String(), {
  description:
    'Fields that Apple’s signature does not cover, such as conversion values and country; all of an unverified postback',
});

/** Response to a postback and to a copy. */
export const PostbackReceived = Named('PostbackReceived', {
  verdict: Verdict,
  reason: Reason,
  isCopy: Type.Boolean({ description: 'Whether the same postback was received before' }),
  unsignedFields: UnsignedFields,
});

const paging = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the last postback of the previous page' }),
  ),
};
const SearchText = Type.String({ minLength: 1, maxLength: 255 });

/** Query of `GET /v1/skan/postbacks`. */
export const ListPostbacks = OnlyThese({
  kind: Type.Optional(Type.Enum([...KINDS])),
  version: Type.Optional(SearchText),
  verdict: Type.Optional(Type.Enum([...VERDICTS])),
  adNetworkId: Type.Optional(SearchText),
  sourceIdentifier: Type.Optional(SearchText),
  campaignId: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  sequenceIndex: Type.Optional(Type.Integer({ minimum: 0, maximum: WINDOWS - 1 })),
  didWin: Type.Optional(Type.Boolean()),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Received then or later' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Received earlier' })),
  ...paging,
});
export type ListPostbacksInput = Static<typeof ListPostbacks>;
/** Query of `GET /v1/admin/skan/postbacks`. */
export const ListStrayPostbacks = OnlyThese(paging);

/** Item of both lists. */
export const Postback = Named('Postback', {
  id: Id,
  receivedAt: Timestamp,
  kind: Type.Enum([...KINDS]),
  version: Nullable(Type.String({ description: 'Of SKAdNetwork' })),
  sentBy: Type.Enum([...SENDERS]),
  sandbox: Type.Boolean({ description: 'Made for a test, or sent with a test key' }),
  verdict: Verdict,
  reason: Reason,
  timesReceived: Type.Integer({ description: 'Copies are counted and not stored again' }),
  appStoreId: Nullable(Type.Integer()),
  adNetworkId: Nullable(Type.String()),
  transactionId: Nullable(
    Type.String({ description: 'The transaction-id, or AdAttributionKit’s postback-identifier' }),
  ),
  sequenceIndex: Type.Integer({ description: 'Conversion window, 0 to 2' }),
  sourceIdentifier: Nullable(Type.String()),
  campaignId: Nullable(Type.Integer()),
  didWin: Nullable(Type.Boolean({ description: 'Null before version 3.0, which reports winners only' })),
  conversionType: Nullable(Type.String({ description: 'download, redownload or re-engagement' })),
  conversionValue: Nullable(Type.Integer()),
  coarseConversionValue: Nullable(Type.String()),
  eventName: Nullable(Type.String({ description: 'The app’s name for the conversion value' })),
  countryCode: Nullable(Type.String()),
  unsignedFields: UnsignedFields,
  postback: JsonObject({ description: 'As sent; at most 1 KB if it is not verified or belongs to no app' }),
  fieldsLeftOut: Type.Integer({ description: 'Number of fields that did not fit' }),
  payload: Nullable(JsonObject(), { description: 'The payload of AdAttributionKit’s JWS' }),
});

const MAX_GROUPS = 1_000;
/** Query of `GET /v1/skan/summary`. */
export const ReadSummary = OnlyThese({
  ...days,
  limit: Type.Integer({ minimum: 1, maximum: MAX_GROUPS, default: 100 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
});

/** Item of `GET /v1/skan/summary`. */
export const SummaryGroup = Named('PostbackGroup', {
  day: Type.String({ description: 'Day of receipt, in UTC' }),
  adNetworkId: Nullable(Type.String()),
  sourceIdentifier: Nullable(Type.String()),
  campaignId: Nullable(Type.Integer({ description: 'Before version 4.0' })),
  sequenceIndex: Type.Integer(),
  conversionValue: Nullable(Type.Integer({ description: 'Not signed by Apple' })),
  coarseConversionValue: Nullable(Type.String({ description: 'Not signed by Apple' })),
  eventName: Nullable(Type.String()),
  postbacks: Type.Integer({ description: 'Verified postbacks' }),
  installs: Type.Integer({ description: 'First postbacks of installs that the ad won' }),
});

const EventName = Type.String({ minLength: 1, maxLength: 255 });
const FineValue = Type.Integer({ minimum: 0, maximum: MAX_CONVERSION_VALUE });
const MinRevenue = Named(
  'MinRevenue',
  {
    amount: Text(
      '^[0-9]{1,12}(\\.[0-9]{1,4})?$',
      'a decimal such as 19.99, of at most 12 digits before and 4 after the point',
    ),
    currency: Text('^[A-Z]{3}$', 'three capitals, as the codes of ISO 4217 such as EUR'),
  },
  {
    description:
      'The SDK sets the values once the revenue of these events within the window, in this currency, reaches the amount. Null: from the first event on',
  },
);
const Lock = Type.Boolean({
  description: 'The SDK lets Apple send the postback of the window once a value of the range is set',
});
const range = { from: FineValue, to: FineValue, eventName: EventName };
const Range = Named('ConversionValueRange', { ...range, minRevenue: Nullable(MinRevenue), lock: Lock });
export type ConversionValueRange = Static<typeof Range>;
const SetRange = Named('SetConversionValueRange', {
  ...range,
  minRevenue: Type.Optional(Nullable(MinRevenue)),
  lock: Type.Optional({ ...Lock, default: false }),
});
const coarseNames = Object.fromEntries(COARSE_VALUES.map((value) => [value, Nullable(EventName)])) as Record<
  (typeof COARSE_VALUES)[number],
  ReturnType<typeof Nullable<typeof EventName>>
>;

const Window = Named('ConversionWindow', {
  fine: Type.Array(Range, { maxItems: MAX_CONVERSION_VALUE + 1 }),
  coarse: Named('CoarseNames', coarseNames),
});
/** The names of one window's conversion values; null is a coarse value without a name. */
export type ConversionWindow = Static<typeof Window>;

/** Response of `GET` and `PUT /v1/skan/conversion-values`: all windows, also those without names. */
export const ConversionValues = Named('ConversionValues', {
  windows: Type.Array(Window, { description: 'Conversion windows 0, 1 and 2' }),
});

/** Response of `GET /v1/sdk/conversion-schema`, which SDKs have built in: fields are only added to it. */
export const ConversionSchema = Named('ConversionSchema', {
  windows: Type.Array(Window, {
    description: 'Conversion windows 0, 1 and 2. Without any name in them, the SDK sets no values',
  }),
});

/** Body of `PUT /v1/skan/conversion-values`; `setConversionValues` checks that ranges do not overlap. */
export const SetConversionValues = Named('SetConversionValues', {
  windows: Type.Array(
    Named('SetConversionWindow', {
      fine: Type.Optional(
        Type.Array(SetRange, {
          maxItems: MAX_CONVERSION_VALUE + 1,
          description: 'Ranges within 0 to 63 that do not overlap',
        }),
      ),
      coarse: Type.Optional(Type.Partial(Type.Object(coarseNames), { title: 'SetCoarseNames' })),
    }),
    { maxItems: WINDOWS, description: 'Conversion windows 0, 1 and 2; omitted ones have no names' },
  ),
});
export type SetConversionValuesInput = Static<typeof SetConversionValues>;
