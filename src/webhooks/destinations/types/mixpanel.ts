import { type Static, Type } from 'typebox';
import { VERSION } from '../../../lib/version.ts';
import { mappedValue } from '../ads.ts';
import {
  attributionProperties,
  eventName,
  identifierOf,
  present,
  recordProperties,
  revenueProperties,
  SYSTEMS,
  whyNotTaken,
  withoutReserved,
} from '../analytics.ts';
import { isObject, parseAnswer, refusedSome, retryEach } from '../answer.ts';
import { addressOf, BaseUrl } from '../base-url.ts';
import { Credential, Region } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord, Mapping } from '../destination-type.ts';

const Config = Type.Object(
  {
    projectId: Type.String({ pattern: '^[0-9]{1,20}$', description: 'ID of the project: Project Settings' }),
    username: Credential('Name of a service account with the role Admin or Owner: Organization Settings'),
    secret: Credential('Secret of the service account'),
    region: Region(['us', 'eu', 'in'], 'Where the project is'),
    baseUrl: BaseUrl('that of a proxy of one’s own'),
  },
  { additionalProperties: false },
);
type MixpanelConfig = Static<typeof Config>;

/** docs.mixpanel.com/reference/overview */
const ORIGINS = {
  us: 'https://api.mixpanel.com',
  eu: 'https://api-eu.mixpanel.com',
  in: 'https://api-in.mixpanel.com',
};
const MAPPABLE = { $user_id: 'userId', $device_id: 'identifiers.mixpanelDistinctId' } as const;
/** What the Simplified ID Merge API puts before a device's ID to make a distinct ID of it. */
const DEVICE = '$device:';

/** docs.mixpanel.com/reference/import-events (properties.distinct_id) */
const INVALID_IDS = new Set([
  ...['00000000-0000-0000-0000-000000000000', 'anon', 'anonymous', 'nil', 'none', 'null', 'n/a', 'na'],
  ...['undefined', 'unknown', '<nil>', '0', '-1', 'true', 'false', '[]', '{}'],
]);

/**
 * The import of a service account, which takes events since 1971 and says which it refused. Repeats are found by name,
 * time, `distinct_id` and `$insert_id` (at most 36 letters, digits and `-`).
 */
export const mixpanel: DestinationType<MixpanelConfig, object> = {
  type: 'mixpanel',
  title: 'Mixpanel',
  documentation: 'https://docs.mixpanel.com/reference/import-events',
  config: Config,
  secrets: ['secret'],
  limits: {
    maxItems: 2_000,
    // Mixpanel takes 10 MB; some of its pages say 2 MB.
    maxBytes: 1_990_000,
    maxItemBytes: 1_000_000,
    maxAgeMs: null,
    intervalMs: null,
  },
  fields: ['?strict', '?project_id', 'header:authorization', '[].event', '[].properties.**'],
  mappable: MAPPABLE,
  toItem(record, _config, mapping) {
    const event = eventName(record, mapping);
    // `$merge` would join two people for ever.
    const against = whyNotTaken(record, event, { title: 'Mixpanel', reserved: /^\$/ });
    return against ?? { item: { event, properties: propertiesOf(record, mapping) } };
  },
  toCall(items, config, _isTest) {
    const key = Buffer.from(`${config.username}:${config.secret}`).toString('base64');
    const path = `/import?strict=1&project_id=${config.projectId}`;
    return {
      url: addressOf(config, ORIGINS[config.region ?? 'us'], path),
      headers: { 'content-type': 'application/json', authorization: `Basic ${key}` },
      body: JSON.stringify(items),
    };
  },
  readResponse(response, items) {
    if (response.status >= 300 && response.status !== 400) return null;
    const { failed_records: failed = [], num_records_imported: imported } = parseAnswer(response.body) ?? {};
    if (!Array.isArray(failed)) return null;
    if (failed.length === 0 && typeof imported === 'number' && imported < items.length)
      return retryEach(items, `Mixpanel imported ${imported} of ${items.length} events.`);
    const reasons = failed
      .filter(isObject)
      .map(({ index, message }) => [Number(index), `Mixpanel: ${message}`] as const);
    return refusedSome(items, new Map(reasons), { outcome: 'accepted' });
  },
  isSuccess(body) {
    const { code, num_records_imported: imported } = parseAnswer(body) ?? {};
    return code === 200 && typeof imported === 'number';
  },
};

function propertiesOf(record: ForwardedRecord, mapping: Mapping): Record<string, unknown> {
  const { device, app, platform } = record;
  return {
    // An import cannot set what is known of a person, so that each event tells it.
    ...attributionProperties(record),
    ...withoutReserved(recordProperties(record), ['token', 'distinct_id', 'time', 'ip']),
    ...revenueProperties(record),
    ...present({
      $os: SYSTEMS[platform],
      $os_version: device.osVersion,
      $model: device.model,
      $app_version_string: device.appVersion,
      $app_name: app.name,
      $locale: device.locale,
      mp_country_code: device.country,
    }),
    mp_lib: 'throughline',
    $lib_version: VERSION,
    // Mixpanel would look up where this server is.
    ip: 0,
    time: Date.parse(record.occurredAt),
    $insert_id: record.id,
    ...identityOf(record, mapping),
  };
}

/** Projects of the Simplified ID Merge API join `$device_id` and `$user_id`; those of the original one read `distinct_id`. */
function identityOf(record: ForwardedRecord, mapping: Mapping): Record<string, string> {
  const ids = { mappable: MAPPABLE, mapping };
  const told = identifierOf(mappedValue(record, '$device_id', ids), INVALID_IDS);
  const isDevice = told?.startsWith(DEVICE) === true;
  const deviceId = (isDevice && told.slice(DEVICE.length)) || record.installId;
  const userId = identifierOf(mappedValue(record, '$user_id', ids), INVALID_IDS) ?? (isDevice ? null : told);
  return {
    $device_id: deviceId,
    ...present({ $user_id: userId }),
    distinct_id: userId ?? `${DEVICE}${deviceId}`,
  };
}
