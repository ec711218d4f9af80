/**
 * Meta, Conversions API for app events.
 * developers.facebook.com/docs/marketing-api/conversions-api/app-events (`app_data`, the 16 places of `extinfo`, names,
 * `madid` and `anon_id` unhashed), …/using-the-api (address, 1,000 events and 7 days, one wrong event refuses the call,
 * `test_event_code`), …/parameters/customer-information-parameters (`external_id`, hashed),
 * …/deduplicate-pixel-and-server-events (`event_id` with `event_name`, 48 hours), docs/graph-api/guides/error-handling.
 */
import { type Static, Type } from 'typebox';
import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts';
import {
  advertisingIdOf,
  consentOf,
  knownName,
  lacking,
  mappedValue,
  numberOf,
  secondsOf,
  sha256,
  textOf,
  toValidName,
  vendorIdOf,
  whyNotMeant,
  withQuery,
  worthOf,
} from '../ads.ts';
import { namespaceOf, present } from '../analytics.ts';
import { parseAnswer, refusedWhole, retryEach } from '../answer.ts';
import { Token } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord, Mapping } from '../destination-type.ts';

const VERSION = 'v25.0';

const Config = Type.Object(
  {
    datasetId: Type.String({
      pattern: '^\\d{1,32}$',
      description: 'Events Manager, Data sources: the ID of the dataset that the app is linked to',
    }),
    accessToken: Token(
      1_024,
      'Events Manager, the dataset, Settings, Conversions API, Generate access token',
    ),
    testEventCode: Type.Optional(
      Token(64, 'Events Manager, Test events: with it a test is shown there and counts nowhere'),
    ),
  },
  { additionalProperties: false },
);
type MetaConfig = Static<typeof Config>;

const OWN_NAMES = { network: 'meta', install: 'MobileAppInstall', open: 'fb_mobile_activate_app' } as const;
/** developers.facebook.com/docs/graph-api/reference/application/activities, `_eventName`. */
const NAMES = { forbidden: /^[ -]+|[^0-9A-Za-z_ -]+/g, maxCharacters: 40 };

const TRACKING = { advertiser_tracking_enabled: '', application_tracking_enabled: '' } as const;
const MAPPABLE = { external_id: 'userId', order_id: 'transactionId', ...TRACKING } as const;

type MetaItem = Readonly<Record<string, unknown>>;

export const meta: DestinationType<MetaConfig, MetaItem> = {
  type: 'meta',
  title: 'Meta',
  documentation: 'https://developers.facebook.com/docs/marketing-api/conversions-api/app-events',
  config: Config,
  secrets: ['accessToken'],
  limits: {
    maxItems: 1_000,
    // Meta names no size.
    maxBytes: 1_000_000,
    maxItemBytes: null,
    // An older event refuses all of its call: an hour for clocks, and for the time that a call waits.
    maxAgeMs: 7 * DAY_MS - HOUR_MS,
    intervalMs: null,
  },
  fields: [
    ...['?access_token', 'test_event_code'],
    ...[
      ...['event_name', 'event_time', 'event_id', 'action_source', 'data_processing_options[]'],
      ...['data_processing_options_country', 'data_processing_options_state'],
      ...['madid', 'anon_id', 'external_id[]', 'client_user_agent'].map((name) => `user_data.${name}`),
      ...['advertiser_tracking_enabled', 'application_tracking_enabled', 'extinfo[]', 'vendor_id'].map(
        (name) => `app_data.${name}`,
      ),
      ...[
        'value',
        'currency',
        'order_id',
        'content_ids[]',
        'content_name',
        'content_category',
        'content_type',
      ]
        .concat(['contents[].id', 'contents[].quantity', 'num_items', 'search_string', 'level'])
        .concat(['max_rating_value', 'description'])
        .map((name) => `custom_data.${name}`),
    ].map((path) => `data[].${path}`),
  ],
  mappable: MAPPABLE,
  toItem(record, _config, mapping) {
    const against = whyNotMeant(record, { title: 'Meta' });
    if (against !== null) return { leftOut: against };
    const known = knownName(record, mapping, OWN_NAMES) ?? record.name;
    const event_name = toValidName(known, NAMES);
    if (event_name === 'Purchase' && (record.revenue === null || worthOf(record) === null))
      return {
        unsendable:
          'Meta takes a Purchase only with an amount in a currency of ISO 4217: send revenue with the event.',
      };
    if (record.device.osVersion === null)
      return {
        unsendable:
          'Meta requires the version of the system: send osVersion with the install. Without consent to device signals none is stored.',
      };
    const user_data = toUserData(record, mapping);
    if (!('madid' in user_data || 'anon_id' in user_data || 'external_id' in user_data))
      return lacking(
        'advertisingId',
        'Meta finds no person without an identifier. Send advertisingId or metaAnonymousId with set_identifiers, or the user with identify.',
      );
    const custom_data = toCustomData(record, mapping);
    const item = {
      event_name,
      event_time: secondsOf(record),
      event_id: record.id,
      action_source: 'app',
      user_data,
      ...(Object.keys(custom_data).length > 0 && { custom_data }),
      app_data: toAppData(record, mapping),
      // Limited data use; zeros have Meta find the state itself.
      ...(record.deterministicOnly && {
        data_processing_options: ['LDU'],
        data_processing_options_country: 0,
        data_processing_options_state: 0,
      }),
    };
    return { item };
  },
  toCall(data, config, isTest) {
    return {
      url: withQuery(`https://graph.facebook.com/${VERSION}/${config.datasetId}/events`, {
        access_token: config.accessToken,
      }),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data, ...(isTest && present({ test_event_code: config.testEventCode })) }),
    };
  },
  readResponse,
  isSuccess: (body) => typeof parseAnswer(body)?.events_received === 'number',
};

function toUserData(record: ForwardedRecord, mapping: Mapping): object {
  const userId = textOf(mappedValue(record, 'external_id', { mappable: MAPPABLE, mapping }))?.trim();
  return present({
    madid: advertisingIdOf(record),
    anon_id: record.identifiers.metaAnonymousId,
    // As Meta's own libraries hash it: a user has the same hash in each channel of the advertiser.
    external_id: userId ? [sha256(userId.toLowerCase())] : null,
    client_user_agent: record.device.userAgent,
  });
}

function toAppData(record: ForwardedRecord, mapping: Mapping): object {
  const { platform, device, deterministicOnly } = record;
  const consent = (name: keyof typeof TRACKING) =>
    consentOf(mappedValue(record, name, { mappable: MAPPABLE, mapping }));
  // iOS gives its advertising ID only to apps that the person allowed to track.
  const mayTrack = platform !== 'ios' || advertisingIdOf(record) !== null;
  const isAllowed = {
    advertiser_tracking_enabled: consent('advertiser_tracking_enabled') ?? mayTrack,
    application_tracking_enabled: consent('application_tracking_enabled') ?? true,
  };
  const version = device.appVersion ?? '';
  return {
    advertiser_tracking_enabled: isAllowed.advertiser_tracking_enabled && !deterministicOnly ? 1 : 0,
    application_tracking_enabled: isAllowed.application_tracking_enabled && !deterministicOnly ? 1 : 0,
    // Version, package, short and long version of the app, OS version, model, locale; then time zone, carrier, screen,
    // cores and storage, which the service does not know.
    extinfo: [
      platform === 'ios' ? 'i2' : 'a2',
      namespaceOf(record) ?? '',
      version,
      version,
      device.osVersion ?? '',
      device.model ?? '',
      device.locale?.replaceAll('-', '_') ?? '',
      ...Array.from({ length: 9 }, () => ''),
    ],
    ...present({ vendor_id: vendorIdOf(record) }),
  };
}

/** developers.facebook.com/docs/marketing-api/conversions-api/parameters/custom-data; nothing but what it names. */
function toCustomData(record: ForwardedRecord, mapping: Mapping): object {
  const { properties } = record;
  const itemId = textOf(properties.item_id);
  const quantity = numberOf(properties.quantity);
  return present<unknown>({
    ...worthOf(record),
    order_id: textOf(mappedValue(record, 'order_id', { mappable: MAPPABLE, mapping })),
    content_ids: itemId && [itemId],
    contents: itemId && quantity ? [{ id: itemId, quantity }] : null,
    num_items: quantity,
    content_type: itemId ? 'product' : null,
    content_name: textOf(properties.item_name),
    content_category: textOf(properties.category),
    search_string: textOf(properties.search_term),
    level: textOf(properties.level),
    max_rating_value: numberOf(properties.max_rating),
    description: textOf(properties.achievement_id),
  });
}

/** Too many calls: developers.facebook.com/docs/graph-api/overview/rate-limiting. */
const RATE_CODES = new Set([4, 17, 32, 341, 613]);
/** Of tokens and permissions: developers.facebook.com/docs/graph-api/guides/error-handling. */
const isKeyCode = (code: number) => [10, 102, 190].includes(code) || (code >= 200 && code <= 299);
const isRateCode = (code: number) => RATE_CODES.has(code) || (code >= 80_000 && code <= 80_014);

function readResponse(
  { status, body }: { readonly status: number; readonly body: string },
  items: readonly MetaItem[],
): ReturnType<typeof meta.readResponse> {
  const { error, events_received: received } = parseAnswer(body) ?? {};
  if (typeof received === 'number' && received < items.length)
    return retryEach(items, `Meta received ${received} of ${items.length} events.`);
  if (typeof error !== 'object' || error === null) return null;
  const { code, is_transient: isTransient, ...texts } = error as Record<string, unknown>;
  const number = typeof code === 'number' ? code : 0;
  const reason = `Meta: ${textOf(texts.error_user_msg) ?? textOf(texts.message) ?? `error ${number}`}`;
  if (isKeyCode(number))
    return retryEach(items, `${reason} Enter another accessToken; the records wait for it.`);
  if (isTransient === true || number === 1 || number === 2 || isRateCode(number) || status >= 500)
    return retryEach(items, reason);
  return refusedWhole(reason);
}
