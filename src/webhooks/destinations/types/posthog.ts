import { type Static, Type } from 'typebox';
import { VERSION } from '../../../lib/version.ts';
import { mappedValue } from '../ads.ts';
import {
  eventName,
  identifierOf,
  namespaceOf,
  personProperties,
  present,
  recordProperties,
  revenueProperties,
  SYSTEMS,
  whyNotTaken,
  withoutReserved,
} from '../analytics.ts';
import { parseAnswer } from '../answer.ts';
import { addressOf, BaseUrl } from '../base-url.ts';
import { Region } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord } from '../destination-type.ts';

const Config = Type.Object(
  {
    projectKey: Type.String({
      pattern: '^(?!phx_)[\\x21-\\x7e]+$',
      maxLength: 64,
      description: 'API key of the project, phc_…, and not a personal one, phx_…: Settings, Project, General',
    }),
    region: Region(['us', 'eu'], 'PostHog Cloud’s region'),
    baseUrl: BaseUrl('that of PostHog on servers of one’s own'),
  },
  { additionalProperties: false },
);
type PosthogConfig = Static<typeof Config>;

const ORIGINS = { us: 'https://us.i.posthog.com', eu: 'https://eu.i.posthog.com' };
const MAPPABLE = { distinct_id: 'identifiers.posthogDistinctId' } as const;

/** PostHog takes none of them as an identifier. posthog.com/docs/product-analytics/identify (Troubleshooting) */
const INVALID_IDS = new Set([
  ...['anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined'],
  ...['true', 'false', '[object object]', 'nan', 'none', 'null', '0'],
]);

/**
 * PostHog finds repeats by `uuid`, time, name and `distinct_id`. It answers 200 to an unknown key, to a project over its
 * quota, and to events that it drops later.
 */
export const posthog: DestinationType<PosthogConfig, object> = {
  type: 'posthog',
  title: 'PostHog',
  documentation: 'https://posthog.com/docs/api/capture',
  config: Config,
  secrets: ['projectKey'],
  limits: {
    // PostHog takes 20 MB a call and 1 MB an event; smaller calls hold less memory.
    maxItems: 1_000,
    maxBytes: 1_990_000,
    maxItemBytes: 900_000,
    maxAgeMs: null,
    intervalMs: null,
  },
  fields: [
    'api_key',
    ...['event', 'distinct_id', 'uuid', 'timestamp', 'properties.**'].map((name) => `batch[].${name}`),
  ],
  mappable: MAPPABLE,
  toItem(record, _config, mapping) {
    const event = eventName(record, mapping);
    // `$create_alias` and `$merge_dangerously` would join two people.
    const against = whyNotTaken(record, event, { title: 'PostHog', reserved: /^\$/ });
    if (against !== null) return against;
    const told = mappedValue(record, 'distinct_id', { mappable: MAPPABLE, mapping });
    return {
      item: {
        event,
        distinct_id:
          identifierOf(told, INVALID_IDS) ?? identifierOf(record.userId, INVALID_IDS) ?? record.installId,
        uuid: record.id,
        timestamp: record.occurredAt,
        properties: propertiesOf(record),
      },
    };
  },
  toCall(items, config, _isTest) {
    return {
      url: addressOf(config, ORIGINS[config.region ?? 'us'], '/batch/'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: config.projectKey, batch: items }),
    };
  },
  readResponse: () => null,
  // 1 of PostHog's former server, which many still run.
  isSuccess: (body) => ['Ok', 1].includes(parseAnswer(body)?.status as string),
};

function propertiesOf(record: ForwardedRecord): Record<string, unknown> {
  const { device, app, platform } = record;
  const person = personProperties(record);
  return {
    // `token` would be taken for the key of another project.
    ...withoutReserved(recordProperties(record), ['token', 'distinct_id']),
    ...revenueProperties(record),
    ...present({
      $os: SYSTEMS[platform],
      $os_version: device.osVersion,
      $device_model: device.model,
      $app_version: device.appVersion,
      $app_name: app.name,
      $app_namespace: namespaceOf(record),
      $locale: device.locale,
      $raw_user_agent: device.userAgent,
      $geoip_country_code: device.country,
    }),
    ...(Object.keys(person).length > 0 && { $set: person }),
    $lib: 'throughline',
    $lib_version: VERSION,
    // PostHog would look up where this server is.
    $geoip_disable: true,
  };
}
