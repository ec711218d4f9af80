/**
 * Google Ads, App Conversion Tracking and Remarketing API.
 * developers.google.com/app-conversion-tracking/api (developer token, link ID), …/api/request-response-specs (address,
 * parameters, `User-Agent`, answer), …/api/privacy-compliant-guide (`gclid` and `gbraid` of Play's referrer for 180 days,
 * without an advertising ID `gclid_only_request`), …/third-party-trackers/doubleclick-integration (`eea`, `ad_user_data`).
 * One conversion a call, in the query. Google has no test mode, and names no age.
 *
 * It asks for the address of the phone as `X-Forwarded-For`, which the service does not store: an app that may send it
 * maps `ip_address` to a property.
 */
import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import { VERSION } from '../../../lib/version.ts';
import {
  advertisingIdOf,
  isCurrency,
  knownName,
  lacking,
  mappedValue,
  textOf,
  toValidName,
  whyNotMeant,
  withQuery,
} from '../ads.ts';
import { present } from '../analytics.ts';
import { parseAnswer, refusedEach, retryEach } from '../answer.ts';
import { Platform, Token } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord, Mapping } from '../destination-type.ts';
import { CONSENTS, consentsOf } from './google-consents.ts';

const Config = Type.Object(
  {
    devToken: Token(
      128,
      'Developer token that Google opened for app conversions: a manager account, API Center',
    ),
    linkId: Type.String({
      pattern: '^[0-9A-Za-z]+$',
      maxLength: 128,
      description: 'Link ID of one platform’s app: Google Ads, Linked accounts, Third-party app analytics',
    }),
    platform: Platform('linkId'),
  },
  { additionalProperties: false },
);
type GoogleAdsConfig = Static<typeof Config>;

const MAPPABLE = { ip_address: '', ...CONSENTS } as const;
const OWN_NAMES = { network: 'googleAds', install: 'first_open', open: 'session_start' } as const;
/** Of which a mapping may choose; others are custom. */
const EVENT_TYPES = new Set([
  ...['first_open', 'session_start', 'in_app_purchase', 'view_item_list', 'view_item', 'view_search_results'],
  ...['add_to_cart', 'ecommerce_purchase'],
]);
/** Google names no length; in an address one name takes up to twelve characters for each of its own. */
const NAMES = { forbidden: /\p{Cc}+/gu, maxCharacters: 100 };
/** Of a device without an advertising ID. */
const NO_ADVERTISING_ID = '00000000-0000-0000-0000-000000000000';
/** European Economic Area: the European Union, Iceland, Liechtenstein, Norway. */
const EEA = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
);

interface GoogleAdsItem {
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

export const googleAds: DestinationType<GoogleAdsConfig, GoogleAdsItem> = {
  type: 'google_ads',
  title: 'Google Ads',
  documentation: 'https://developers.google.com/app-conversion-tracking/api/request-response-specs',
  config: Config,
  secrets: ['devToken'],
  limits: { maxItems: 1, maxBytes: 16_384, maxItemBytes: null, maxAgeMs: null, intervalMs: null },
  fields: [
    ...['dev_token', 'link_id', 'app_event_type', 'app_event_name', 'rdid', 'id_type', 'lat', 'app_version']
      .concat(['os_version', 'sdk_version', 'timestamp', 'value', 'currency_code', 'market_referrer_gclid'])
      .concat(['gbraid', 'gclid_only_request', 'eea', 'ad_user_data', 'ad_personalization'])
      .map((name) => `?${name}`),
    ...['header:user-agent', 'header:x-forwarded-for'],
  ],
  mappable: MAPPABLE,
  toItem(record, config, mapping) {
    const { device } = record;
    const against = whyNotMeant(record, { title: 'Google Ads', platform: config.platform });
    if (against !== null) return { leftOut: against };
    if (device.osVersion === null || device.appVersion === null)
      return {
        unsendable:
          'Google Ads requires the versions of app and system: send appVersion and osVersion with the install. Without consent to device signals no osVersion is stored.',
      };
    const ids = toIdentifiers(record);
    if (ids === null)
      return lacking(
        'advertisingId',
        'Google Ads finds no click without an identifier. Send advertisingId with set_identifiers; on Android the gclid of Play’s referrer does as well.',
      );
    const query = {
      ...toName(record, mapping),
      ...ids,
      app_version: device.appVersion,
      os_version: device.osVersion,
      sdk_version: VERSION,
      timestamp: toTimestamp(record.occurredAt),
      ...(record.revenue &&
        isCurrency(record.revenue.currency) && {
          value: record.revenue.amount,
          currency_code: record.revenue.currency,
        }),
      ...(device.country && { eea: EEA.has(device.country) ? '1' : '0' }),
      ...consentsOf(record, mapping, { granted: '1', denied: '0' }),
    };
    return { item: { query, headers: toHeaders(record, mapping) } };
  },
  toCall([item], config, _isTest) {
    const keys = { dev_token: config.devToken, link_id: config.linkId };
    return {
      url: withQuery('https://www.googleadservices.com/pagead/conversion/app/1.0', {
        ...keys,
        ...item?.query,
      }),
      headers: { 'content-type': 'application/json', ...item?.headers },
      body: '{}',
    };
  },
  readResponse({ body }, items) {
    const { errors, attributed } = parseAnswer(body) ?? {};
    // What is attributed was taken: the rest are warnings.
    if (!Array.isArray(errors) || errors.length === 0 || attributed === true) return null;
    const codes = errors.map(String);
    const reason = `Google Ads: ${codes.join(', ')}`;
    if (codes.some((code) => /dev_token|link_id/.test(code)))
      return retryEach(items, `${reason}. Check devToken and linkId; the records wait for it.`);
    // Google's clock is behind the phone's.
    if (codes.includes('timestamp_invalid')) return retryEach(items, reason);
    return refusedEach(items, reason);
  },
  isSuccess(body) {
    const { ad_events: clicks, attributed } = parseAnswer(body) ?? {};
    return typeof attributed === 'boolean' || Array.isArray(clicks);
  },
};

/** An app's own event of such a name is custom too, so that no `first_open` of an app counts as an install. */
function toName(record: ForwardedRecord, mapping: Mapping): Record<string, string> {
  const known = knownName(record, mapping, OWN_NAMES);
  if (known !== null && EVENT_TYPES.has(known)) return { app_event_type: known };
  return { app_event_type: 'custom', app_event_name: toValidName(known ?? record.name, NAMES) };
}

/** @returns null if nothing tells Google which click it was. */
function toIdentifiers(record: ForwardedRecord): Record<string, string> | null {
  const { platform, googleClickIds, deterministicOnly } = record;
  const advertisingId = deterministicOnly ? null : advertisingIdOf(record);
  // `gclid` as a parameter is that of a deep link, which is another one.
  const clicks = present({ market_referrer_gclid: googleClickIds.gclid, gbraid: googleClickIds.gbraid });
  if (advertisingId === null && Object.keys(clicks).length === 0) return null;
  return {
    rdid: advertisingId ?? NO_ADVERTISING_ID,
    id_type: platform === 'ios' ? 'idfa' : 'advertisingid',
    lat: advertisingId === null ? '1' : '0',
    ...clicks,
    ...(advertisingId === null && platform === 'android' && { gclid_only_request: '1' }),
  };
}

/** Seconds, with six digits after the point. */
function toTimestamp(occurredAt: string): string {
  const ms = Date.parse(occurredAt);
  return `${Math.floor(ms / 1_000)}.${String(ms % 1_000).padStart(3, '0')}000`;
}

/** `name version (os_and_version; locale; device; build; Proxy)`. */
function toHeaders(record: ForwardedRecord, mapping: Mapping): Record<string, string> {
  const { platform, device } = record;
  const system = `${platform === 'ios' ? 'iOS' : 'Android'} ${device.osVersion}`;
  const locale = device.locale?.replaceAll('-', '_') ?? 'en_US';
  const parts = [system, locale, device.model ?? 'unknown', 'Build/unknown', 'Proxy'].map(toHeaderPart);
  const address = textOf(mappedValue(record, 'ip_address', { mappable: MAPPABLE, mapping }));
  return {
    'user-agent': `Throughline ${VERSION} (${parts.join('; ')})`,
    ...(address !== null && isIP(address) !== 0 && { 'x-forwarded-for': address }),
  };
}

/** Phones name themselves: their letters must not change the header. */
function toHeaderPart(text: string): string {
  return text.replace(/[^\x20-\x7e]+|[;()\\]+/g, '?');
}
