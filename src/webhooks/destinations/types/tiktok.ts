/**
 * TikTok, Events API 2.0, app events.
 * business-api.tiktok.com/portal/docs?id=1771101303285761 (address, key, fields, 1,000 events a call, capitals of
 * identifiers), ?id=1771101186666498 (standard events), ?id=1737172488964097 (codes: an answer of 200 may be an error).
 * TikTok must have opened app events of this API for the advertiser. It names no age and no size. It does not take
 * `external_id` with app events.
 */
import { type Static, Type } from 'typebox';
import {
  advertisingIdOf,
  consentOf,
  knownName,
  lacking,
  mappedValue,
  numberOf,
  secondsOf,
  textOf,
  toValidName,
  vendorIdOf,
  whyNotMeant,
  worthOf,
} from '../ads.ts';
import { present } from '../analytics.ts';
import { parseAnswer, refusedWhole, retryEach } from '../answer.ts';
import { Platform, Token } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord, Mapping } from '../destination-type.ts';

const Config = Type.Object(
  {
    eventSourceId: Type.String({
      pattern: '^[0-9A-Za-z]+$',
      maxLength: 64,
      description: 'TikTok App ID: TikTok Ads Manager, Events Manager, the app, Settings',
    }),
    accessToken: Token(1_024, 'Events Manager, the app, Settings, Events API, Generate access token'),
    platform: Platform('eventSourceId'),
    testEventCode: Type.Optional(
      Token(64, 'Events Manager, the app, Test events: with it a test is shown there'),
    ),
  },
  { additionalProperties: false },
);
type TikTokConfig = Static<typeof Config>;

const OWN_NAMES = { network: 'tiktok', install: 'InstallApp', open: 'LaunchAPP' } as const;
const MAPPABLE = { att_status: '', order_id: 'transactionId' } as const;

type TikTokItem = Readonly<Record<string, unknown>>;

export const tiktok: DestinationType<TikTokConfig, TikTokItem> = {
  type: 'tiktok',
  title: 'TikTok',
  documentation: 'https://business-api.tiktok.com/portal/docs?id=1771101303285761',
  config: Config,
  secrets: ['accessToken'],
  limits: { maxItems: 1_000, maxBytes: 1_000_000, maxItemBytes: null, maxAgeMs: null, intervalMs: null },
  fields: [
    ...['header:access-token', 'event_source', 'event_source_id', 'test_event_code'],
    ...[
      ...['event', 'event_time', 'event_id', 'limited_data_use'],
      ...['idfa', 'idfv', 'gaid', 'att_status', 'locale', 'user_agent'].map((name) => `user.${name}`),
      ...['app_id', 'app_name', 'app_version'].map((name) => `app.${name}`),
      ...['value', 'currency', 'order_id', 'content_type', 'num_items', 'search_string', 'description']
        .concat(
          ['content_id', 'content_name', 'content_category', 'quantity'].map((name) => `contents[].${name}`),
        )
        .map((name) => `properties.${name}`),
    ].map((path) => `data[].${path}`),
  ],
  mappable: MAPPABLE,
  toItem(record, config, mapping) {
    const { platform, app } = record;
    const against = whyNotMeant(record, { title: 'TikTok', platform: config.platform });
    if (against !== null) return { leftOut: against };
    const appId = platform === 'ios' ? app.iosAppStoreId : app.androidPackage;
    if (appId === null)
      return {
        unsendable: `TikTok requires the ID of the app in its store: set ${platform === 'ios' ? 'iosAppStoreId' : 'androidPackage'} of the app.`,
      };
    const ids = toIdentifiers(record);
    if (Object.keys(ids).length === 0)
      return lacking(
        'advertisingId',
        `TikTok finds no person without an identifier. Send advertisingId${platform === 'ios' ? ' or vendorId' : ''} with set_identifiers.`,
      );
    const properties = toProperties(record, mapping);
    const item = {
      event: toEventName(knownName(record, mapping, OWN_NAMES) ?? record.name),
      event_time: secondsOf(record),
      event_id: record.id,
      user: {
        ...ids,
        att_status: attStatusOf(record, mapping),
        ...present({ locale: record.device.locale, user_agent: record.device.userAgent }),
      },
      app: { app_id: appId, app_name: app.name, ...present({ app_version: record.device.appVersion }) },
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(record.deterministicOnly && { limited_data_use: true }),
    };
    return { item };
  },
  toCall(data, config, isTest) {
    const body = {
      event_source: 'app',
      event_source_id: config.eventSourceId,
      ...(isTest && present({ test_event_code: config.testEventCode })),
      data,
    };
    return {
      url: 'https://business-api.tiktok.com/open_api/v1.3/event/track/',
      headers: { 'content-type': 'application/json', 'access-token': config.accessToken },
      body: JSON.stringify(body),
    };
  },
  readResponse({ body }, items) {
    const { code, message } = parseAnswer(body) ?? {};
    // 20001 is a success in part, whose parts TikTok does not tell.
    if (typeof code !== 'number' || code === 0 || code === 20_001) return null;
    const reason = `TikTok: ${textOf(message) ?? 'error'} (${code})`;
    if (KEY_CODES.has(code))
      return retryEach(items, `${reason}. Enter another accessToken; the records wait for it.`);
    return RETRY_CODES.has(code) || code >= 50_000 ? retryEach(items, reason) : refusedWhole(reason);
  },
  isSuccess: (body) => typeof parseAnswer(body)?.code === 'number',
};

/** No right to the event source; token expired, missing, or revoked. */
const KEY_CODES = new Set([40_001, 40_102, 40_104, 40_105]);
/** Too many calls, and a timeout at TikTok; 50000 and above are its own errors. */
const RETRY_CODES = new Set([40_016, 40_100, 40_132, 40_133, 40_700]);

/** ads.tiktok.com/help/article/custom-events (Requirements). */
function toEventName(name: string): string {
  const prefix = /^[A-Za-z]/.test(name) ? '' : 'e_';
  return toValidName(name, { forbidden: /[^0-9A-Za-z_-]+/g, maxCharacters: 50, prefix });
}

/** Raw, as TikTok takes them: IDFA in capitals, GAID in small letters. */
function toIdentifiers(record: ForwardedRecord): Record<string, string> {
  const advertisingId = advertisingIdOf(record);
  if (record.platform === 'android') return present({ gaid: advertisingId });
  return present({ idfa: advertisingId, idfv: vendorIdOf(record) });
}

const ATT_STATUSES = ['AUTHORIZED', 'DENIED', 'NOT_DETERMINED', 'RESTRICTED', 'NOT_APPLICABLE'];

/** iOS gives its advertising ID only to apps that the person allowed to track. */
function attStatusOf(record: ForwardedRecord, mapping: Mapping): string {
  if (record.platform === 'android') return 'NOT_APPLICABLE';
  if (record.deterministicOnly) return 'DENIED';
  const told = mappedValue(record, 'att_status', { mappable: MAPPABLE, mapping });
  const status = textOf(told)?.toUpperCase() ?? '';
  if (ATT_STATUSES.includes(status)) return status;
  const answer = consentOf(told) ?? (advertisingIdOf(record) === null ? null : true);
  if (answer === null) return 'NOT_DETERMINED';
  return answer ? 'AUTHORIZED' : 'DENIED';
}

/** Nothing but what TikTok names. */
function toProperties(record: ForwardedRecord, mapping: Mapping): Record<string, unknown> {
  const { properties } = record;
  const quantity = numberOf(properties.quantity);
  const content = present<unknown>({
    content_id: textOf(properties.item_id),
    content_name: textOf(properties.item_name),
    content_category: textOf(properties.category),
    quantity,
  });
  const hasContent = 'content_id' in content;
  return present<unknown>({
    ...worthOf(record),
    order_id: textOf(mappedValue(record, 'order_id', { mappable: MAPPABLE, mapping })),
    contents: hasContent ? [content] : null,
    content_type: hasContent ? 'product' : null,
    num_items: quantity,
    search_string: textOf(properties.search_term),
    description: hasContent ? null : textOf(properties.item_name),
  });
}
