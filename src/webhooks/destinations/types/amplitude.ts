import { type Static, Type } from 'typebox';
import { VERSION } from '../../../lib/version.ts';
import { advertisingIdOf, mappedValue } from '../ads.ts';
import {
  ATTRIBUTION_PROPERTIES,
  eventName,
  identifierOf,
  personProperties,
  present,
  recordProperties,
  revenueProperties,
  SYSTEMS,
  whyNotTaken,
} from '../analytics.ts';
import { isObject, parseAnswer, refusedSome, retryEach } from '../answer.ts';
import { addressOf, BaseUrl } from '../base-url.ts';
import { Region, Token } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord, ItemResult, Mapping } from '../destination-type.ts';

const Config = Type.Object(
  {
    apiKey: Token(256, 'API key of the project: Settings, Projects, General'),
    region: Region(['us', 'eu'], 'Where the project is'),
    baseUrl: BaseUrl('that of a proxy of one’s own'),
  },
  { additionalProperties: false },
);
type AmplitudeConfig = Static<typeof Config>;

interface AmplitudeEvent extends Readonly<Record<string, unknown>> {
  readonly device_id: string;
  readonly user_id?: string;
}

const ORIGINS = { us: 'https://api2.amplitude.com', eu: 'https://api.eu.amplitude.com' };
const MAPPABLE = { user_id: 'userId', device_id: 'identifiers.amplitudeDeviceId' } as const;

const INVALID_KEY = 'Invalid API key';

/** Amplitude refuses an event with one of them. amplitude.com/docs/apis/analytics/http-v2 (Invalid IDs) */
const INVALID_IDS = new Set([
  ...['anonymous', 'nil', 'none', 'null', 'n/a', 'na', 'undefined', 'unknown', '""', '{}', 'lmy47d', '0'],
  ...['-1', '00000000-0000-0000-0000-000000000000'],
]);

/** Amplitude finds repeats by `insert_id` for 7 days; without `ip` it looks no place up. */
export const amplitude: DestinationType<AmplitudeConfig, AmplitudeEvent> = {
  type: 'amplitude',
  title: 'Amplitude',
  documentation: 'https://amplitude.com/docs/apis/analytics/http-v2',
  config: Config,
  secrets: ['apiKey'],
  limits: {
    // A project of the Starter plan takes 1,000 events a second; a larger call is answered with 413.
    maxItems: 1_000,
    maxBytes: 990_000,
    maxItemBytes: null,
    maxAgeMs: null,
    intervalMs: 1_000,
  },
  fields: [
    ...['api_key', 'options.min_id_length', 'events[].event_properties.**'],
    ...['event_type', 'time', 'insert_id', 'user_id', 'device_id', 'revenue', 'currency', 'library']
      .concat(['app_version', 'platform', 'os_name', 'os_version', 'device_model', 'country', 'language'])
      .concat(['idfa', 'adid', 'idfv'])
      .concat(ATTRIBUTION_PROPERTIES.map((name) => `user_properties.${name}`))
      .map((name) => `events[].${name}`),
  ],
  mappable: MAPPABLE,
  toItem(record, _config, mapping) {
    const name = eventName(record, mapping);
    const against = whyNotTaken(record, name, { title: 'Amplitude', reserved: /^(\$|\[Amplitude\])/ });
    return against ?? { item: toEvent(record, name, mapping) };
  },
  toCall(items, config, _isTest) {
    return {
      url: addressOf(config, ORIGINS[config.region ?? 'us'], '/2/httpapi'),
      headers: { 'content-type': 'application/json' },
      // Without the option Amplitude drops identifiers of fewer than 5 characters.
      body: JSON.stringify({ api_key: config.apiKey, events: items, options: { min_id_length: 1 } }),
    };
  },
  readResponse({ status, body }, items) {
    const answer = parseAnswer(body);
    if (answer === null) return null;
    // A proxy may pass on as 2xx what Amplitude refused.
    const code = status < 300 ? answer.code : status;
    if (code === 400) return readRefusal(answer, items);
    return code === 429 ? readThrottling(answer, items) : null;
  },
  isSuccess: (body) => parseAnswer(body)?.code === 200,
};

function toEvent(record: ForwardedRecord, name: string, mapping: Mapping): AmplitudeEvent {
  const { device, platform, identifiers, occurredAt } = record;
  const ids = { mappable: MAPPABLE, mapping };
  const person = personProperties(record);
  return {
    event_type: name,
    time: Date.parse(occurredAt),
    insert_id: record.id,
    device_id: identifierOf(mappedValue(record, 'device_id', ids), INVALID_IDS) ?? record.installId,
    ...present({ user_id: identifierOf(mappedValue(record, 'user_id', ids), INVALID_IDS) }),
    event_properties: recordProperties(record),
    ...(Object.keys(person).length > 0 && { user_properties: person }),
    ...revenueProperties(record),
    ...present({
      app_version: device.appVersion,
      platform: SYSTEMS[platform],
      os_name: SYSTEMS[platform],
      os_version: device.osVersion,
      device_model: device.model,
      country: device.country,
      language: device.locale,
      idfv: identifiers.vendorId,
      ...(platform === 'ios' && { idfa: advertisingIdOf(record) }),
      ...(platform === 'android' && { adid: advertisingIdOf(record) }),
    }),
    library: `throughline/${VERSION}`,
  };
}

type Answer = Readonly<Record<string, unknown>>;

/** Nothing of the call is stored; the events that the answer does not name may be sent again. */
function readRefusal(answer: Answer, items: readonly unknown[]): ItemResult[] | null {
  const error = String(answer.error ?? 'Bad request');
  // Amplitude has no 401 for it. The rest of the text may be the key.
  if (error.startsWith(INVALID_KEY)) return retryEach(items, `Amplitude: ${INVALID_KEY}. Set apiKey again.`);
  const reasons = new Map<number, string>();
  for (const list of [
    'events_with_invalid_fields',
    'events_with_missing_fields',
    'events_with_invalid_id_lengths',
  ])
    for (const [field, indexes] of Object.entries(isObject(answer[list]) ? answer[list] : {}))
      for (const index of indexesOf(indexes)) reasons.set(index, `Amplitude: ${error}: ${field}`);
  for (const index of indexesOf(answer.silenced_events))
    reasons.set(index, 'Amplitude has silenced this device.');
  return refusedSome(items, reasons, {
    outcome: 'retry',
    reason: 'Amplitude refused other records of the call.',
  });
}

/** @returns null without a user or device that is over its quota of the day, which is not worth a retry. */
function readThrottling(answer: Answer, items: readonly AmplitudeEvent[]): ItemResult[] | null {
  const names = (list: string): Answer => (isObject(answer[list]) ? answer[list] : {});
  const [users, devices] = [names('exceeded_daily_quota_users'), names('exceeded_daily_quota_devices')];
  const reasons = new Map<number, string>();
  items.forEach(({ user_id: user, device_id: device }, index) => {
    if ((user !== undefined && Object.hasOwn(users, user)) || Object.hasOwn(devices, device))
      reasons.set(index, 'Amplitude: this user or device is over its quota of the day.');
  });
  return refusedSome(items, reasons, { outcome: 'retry', reason: 'Amplitude answered 429.' });
}

function indexesOf(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isInteger(each)) : [];
}
