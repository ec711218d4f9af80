/**
 * Google Analytics 4, Measurement Protocol for app streams.
 * developers.google.com/analytics/devguides/collection/protocol/ga4/reference?client_type=firebase (address, key,
 * `app_instance_id`, `consent`), …/sending-events (25 events and 130 kB a call, 72 hours), …/validating-events
 * (`/debug/mp/collect`, `validationMessages`), …/reference/events#purchase and #refund (parameters).
 * It answers 2xx to whatever arrives, even with a wrong secret; only the validation server says what is wrong.
 */
import { type Static, Type } from 'typebox';
import { HOUR_MS } from '../../../lib/clock.ts';
import { truncateWell } from '../../../lib/text.ts';
import {
  isRefund,
  knownName,
  lacking,
  mappedValue,
  numberOf,
  REPEATED,
  textOf,
  withQuery,
  worthOf,
} from '../ads.ts';
import { present } from '../analytics.ts';
import { parseAnswer, refusedEach } from '../answer.ts';
import type { DestinationType, ForwardedRecord, Mapping } from '../destination-type.ts';
import { MAX_PARAMETERS, MAX_VALUE_CHARACTERS, toEventName, toParameterName } from './ga4-names.ts';
import { CONSENTS, consentsOf } from './google-consents.ts';

const MAX_USER_ID_CHARACTERS = 256;

const Config = Type.Object(
  {
    firebaseAppId: Type.String({
      pattern: '^\\d+:\\d+:(ios|android):[0-9a-f]+$',
      maxLength: 128,
      description:
        'App ID of one platform, such as 1:1234567890:android:321abc456def7890: Firebase console, Project settings, General, Your apps. Records of other platforms are not sent',
    }),
    apiSecret: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Analytics, Admin, Data streams, the app’s stream, Measurement Protocol API secrets',
    }),
    region: Type.Optional(
      Type.Enum(['global', 'eu'], { description: 'eu has the data collected in the EU', default: 'global' }),
    ),
  },
  { additionalProperties: false },
);
type Ga4Config = Static<typeof Config>;

const ORIGINS = { global: 'https://www.google-analytics.com', eu: 'https://region1.google-analytics.com' };
const MAPPABLE = { user_id: 'userId', transaction_id: 'transactionId', session_id: '', ...CONSENTS } as const;
/** Events whose item Analytics takes in `items`. */
const ITEM_EVENTS = new Set([
  ...[
    'add_payment_info',
    'add_to_cart',
    'add_to_wishlist',
    'begin_checkout',
    'purchase',
    'refund',
    'view_item',
  ],
]);
const ITEM_PARAMETERS = { item_id: 'item_id', item_name: 'item_name', category: 'item_category' } as const;

type Parameters = Record<string, string | number | object>;
type Ga4Item = Readonly<Record<string, unknown>>;

/** A call has one record, since `app_instance_id` stands for the whole call. */
export const ga4: DestinationType<Ga4Config, Ga4Item> = {
  type: 'ga4',
  title: 'Google Analytics 4',
  documentation: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4',
  config: Config,
  secrets: ['apiSecret'],
  limits: { maxItems: 1, maxBytes: 130_000, maxItemBytes: null, maxAgeMs: 72 * HOUR_MS, intervalMs: null },
  fields: [
    ...['?firebase_app_id', '?api_secret', 'app_instance_id', 'user_id', 'timestamp_micros'],
    ...['validation_behavior', 'consent.ad_user_data', 'consent.ad_personalization', 'events[].name'],
    ...['item_id', 'item_name', 'item_category', 'quantity'].map((name) => `events[].params.items[].${name}`),
    'events[].params.*',
  ],
  mappable: MAPPABLE,
  toItem(record, { firebaseAppId }, mapping) {
    if (firebaseAppId.split(':')[2] !== record.platform)
      return {
        leftOut:
          'The install is of another platform than firebaseAppId. Make a destination with the App ID of its app, if it has one.',
      };
    if (record.repeatsTransaction) return { leftOut: REPEATED };
    const appInstanceId = record.identifiers.firebaseAppInstanceId;
    if (appInstanceId === undefined)
      return lacking(
        'firebaseAppInstanceId',
        'Analytics joins events by the ID of the Firebase SDK. Read it with getAppInstanceId() on the phone and send it as firebaseAppInstanceId of set_identifiers.',
      );
    if (!APP_INSTANCE_ID.test(appInstanceId))
      return {
        unsendable:
          'Analytics takes 32 hexadecimal digits as firebaseAppInstanceId, and drops an event with another without a word. Send what getAppInstanceId() of Firebase Analytics returns, which is not the ID of the Firebase installation.',
      };
    // Without an answer of the person, the consent that the Firebase SDK has holds.
    const consent = consentsOf(record, mapping, { granted: 'GRANTED', denied: 'DENIED' });
    const item = {
      app_instance_id: appInstanceId,
      ...present({ user_id: toUserId(record, mapping) }),
      timestamp_micros: Date.parse(record.occurredAt) * 1_000,
      ...(Object.keys(consent).length > 0 && { consent }),
      events: [toEvent(record, mapping)],
    };
    return { item };
  },
  toCall([item], config, isTest) {
    const query = { firebase_app_id: config.firebaseAppId, api_secret: config.apiSecret };
    const path = isTest ? '/debug/mp/collect' : '/mp/collect';
    const strict = isTest ? { validation_behavior: 'ENFORCE_RECOMMENDATIONS' } : {};
    return {
      url: withQuery(`${ORIGINS[config.region ?? 'global']}${path}`, query),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...item, ...strict }),
    };
  },
  readResponse({ body }, items) {
    const { validationMessages: messages } = parseAnswer(body) ?? {};
    if (!Array.isArray(messages) || messages.length === 0) return null;
    const reason = messages.map(describe).join(' ');
    return refusedEach(items, reason);
  },
};

function describe(message: unknown): string {
  const { description, fieldPath, validationCode } = (message ?? {}) as Record<string, unknown>;
  return (
    textOf(description) ?? `${textOf(fieldPath) ?? 'the event'}: ${textOf(validationCode) ?? 'invalid'}.`
  );
}

/** As the validation server demands: “expected to be a 32 digit hexadecimal number”. */
const APP_INSTANCE_ID = /^[0-9a-f]{32}$/i;

/** Google forbids e-mail addresses as user IDs. */
function toUserId(record: ForwardedRecord, mapping: Mapping): string | null {
  const id = textOf(mappedValue(record, 'user_id', { mappable: MAPPABLE, mapping }));
  return id === null || id.length > MAX_USER_ID_CHARACTERS || id.includes('@') ? null : id;
}

/** `first_open` and `session_start` are Firebase's own: they count twice, or are refused. */
const OWN_NAMES = { network: 'ga4', install: 'throughline_install', open: 'throughline_open' } as const;

function toEvent(record: ForwardedRecord, mapping: Mapping): { name: string; params: Parameters } {
  const name = isRefund(record)
    ? 'refund'
    : toEventName(knownName(record, mapping, OWN_NAMES) ?? record.name);
  const own = record.kind === 'event' ? moneyOf(record, name, mapping) : attributionOf(record);
  const session = textOf(mappedValue(record, 'session_id', { mappable: MAPPABLE, mapping }));
  const first = { ...own, ...present({ session_id: session }), ...itemsOf(record, name) };
  const params = { ...first, ...othersOf(record, name, first) };
  return { name, params: Object.fromEntries(Object.entries(params).slice(0, MAX_PARAMETERS)) };
}

function moneyOf(record: ForwardedRecord, name: string, mapping: Mapping): Parameters {
  if (name === 'spend_virtual_currency')
    return present({ value: numberOf(record.properties.credits) }) as Parameters;
  const worth = worthOf(record);
  const told = textOf(mappedValue(record, 'transaction_id', { mappable: MAPPABLE, mapping }));
  // Analytics requires one.
  const id = told ?? (name === 'purchase' || name === 'refund' ? record.id : null);
  return {
    ...(worth && {
      currency: worth.currency,
      value: name === 'refund' ? Math.abs(worth.value) : worth.value,
    }),
    ...(id !== null && { transaction_id: cut(id) }),
  };
}

/** By the names of Firebase's `campaign_details`, so that a mapping of `install` to it is complete. */
function attributionOf({ attribution, network }: ForwardedRecord): Parameters {
  const { source, medium, campaign } = attribution.utm ?? {};
  const texts = present({
    method: attribution.method,
    source: source ?? network?.name,
    medium,
    campaign: campaign ?? network?.campaignName,
    campaign_id: network?.campaignId ?? attribution.campaignId,
    short_code: attribution.shortCode,
  });
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, cut(text)]));
}

function itemsOf({ properties }: ForwardedRecord, name: string): Parameters {
  if (!ITEM_EVENTS.has(name)) return {};
  const named = Object.entries(ITEM_PARAMETERS).map(([property, parameter]) => {
    const text = textOf(properties[property]);
    return [parameter, text && cut(text)] as const;
  });
  const item = present<string | number>({
    ...Object.fromEntries(named),
    quantity: numberOf(properties.quantity),
  });
  return 'item_id' in item || 'item_name' in item ? { items: [item] } : {};
}

/** The event's other properties; lists and objects stay here, since Analytics takes neither. */
function othersOf({ properties }: ForwardedRecord, name: string, taken: Parameters): Parameters {
  const inItems = 'items' in taken ? [...Object.keys(ITEM_PARAMETERS), 'quantity'] : [];
  const others: Parameters = {};
  for (const [property, value] of Object.entries(properties)) {
    const parameter = toParameterName(property);
    if (parameter === null || Object.hasOwn(taken, parameter) || inItems.includes(property)) continue;
    if (name === 'spend_virtual_currency' && property === 'credits') continue;
    const number = property === 'value' ? numberOf(value) : value;
    if (typeof number === 'number') others[parameter] = number;
    else if (typeof value === 'string' || typeof value === 'boolean') others[parameter] = cut(String(value));
  }
  return others;
}

function cut(text: string): string {
  return truncateWell(text, MAX_VALUE_CHARACTERS);
}
