import { type Static, Type } from 'typebox';
import { VERSION } from '../../../lib/version.ts';
import { advertisingIdOf, mappedValue, REPEATED } from '../ads.ts';
import {
  ATTRIBUTION_PROPERTIES,
  eventName,
  identifierOf,
  namespaceOf,
  personProperties,
  present,
  recordProperties,
  revenueProperties,
  SYSTEMS,
} from '../analytics.ts';
import { parseAnswer } from '../answer.ts';
import { addressOf, BaseUrl } from '../base-url.ts';
import { Credential, Region } from '../config-fields.ts';
import type { DestinationType, ForwardedRecord } from '../destination-type.ts';

const Config = Type.Object(
  {
    writeKey: Credential('Write key of an HTTP API source: Connections, Sources, Settings, API Keys'),
    region: Region(['us', 'eu'], 'Where the workspace is'),
    baseUrl: BaseUrl('that of a server that takes the same calls, such as RudderStack’s data plane'),
  },
  { additionalProperties: false },
);
type SegmentConfig = Static<typeof Config>;

/** segment.com/docs/guides/regional-segment/#server-side-and-project-sources */
const ORIGINS = { us: 'https://api.segment.io', eu: 'https://events.eu1.segmentapis.com' };

const MAPPABLE = { userId: 'userId', anonymousId: 'identifiers.segmentAnonymousId' } as const;

/** A `track` call. Segment finds repeats by `messageId`; it answers 200 to an unknown write key. */
export const segment: DestinationType<SegmentConfig, object> = {
  type: 'segment',
  title: 'Segment',
  documentation: 'https://www.twilio.com/docs/segment/connections/sources/catalog/libraries/server/http-api',
  config: Config,
  secrets: ['writeKey'],
  limits: {
    // A call of more than 2,500 is answered with 200 and dropped, one of more than 500 kB or 32 kB an item with 400.
    maxItems: 2_500,
    maxBytes: 490_000,
    maxItemBytes: 32_000,
    maxAgeMs: null,
    intervalMs: null,
  },
  fields: [
    'header:authorization',
    ...['type', 'event', 'messageId', 'timestamp', 'userId', 'anonymousId'].map((name) => `batch[].${name}`),
    'batch[].properties.**',
    ...['app.name', 'app.version', 'app.namespace', 'campaign.source', 'campaign.medium', 'campaign.name']
      .concat(['device.id', 'device.advertisingId', 'device.model', 'device.type', 'os.name', 'os.version'])
      .concat(['library.name', 'library.version', 'locale', 'location.country', 'userAgent'])
      .concat(ATTRIBUTION_PROPERTIES.map((name) => `traits.${name}`))
      .map((name) => `batch[].context.${name}`),
  ],
  mappable: MAPPABLE,
  toItem(record, _config, mapping) {
    if (record.repeatsTransaction) return { leftOut: REPEATED };
    const ids = { mappable: MAPPABLE, mapping };
    return {
      item: {
        type: 'track',
        event: eventName(record, mapping),
        messageId: record.id,
        timestamp: record.occurredAt,
        // Segment requires one of the two.
        anonymousId: identifierOf(mappedValue(record, 'anonymousId', ids)) ?? record.installId,
        ...present({ userId: identifierOf(mappedValue(record, 'userId', ids)) }),
        properties: propertiesOf(record),
        context: contextOf(record),
      },
    };
  },
  toCall(items, config, _isTest) {
    const key = Buffer.from(`${config.writeKey}:`).toString('base64');
    return {
      url: addressOf(config, ORIGINS[config.region ?? 'us'], '/v1/batch'),
      headers: { 'content-type': 'application/json', authorization: `Basic ${key}` },
      body: JSON.stringify({ batch: items }),
    };
  },
  readResponse: () => null,
  isSuccess(body) {
    // RudderStack's data plane answers with a text (rudderstack.com/docs/api/http-api), Jitsu with `ok`.
    const { success, ok } = parseAnswer(body) ?? {};
    return success === true || ok === true || /^\s*"?ok"?\s*$/i.test(body);
  },
};

/** segment.com/docs/connections/spec/mobile/#install-attributed, spec/track/#properties */
function propertiesOf(record: ForwardedRecord): Record<string, unknown> {
  const { kind, network, attribution } = record;
  const properties = { ...recordProperties(record, 'order_id'), ...revenueProperties(record) };
  if (kind === 'event') return properties;
  const { source, medium, campaign } = attribution.utm ?? {};
  const names = {
    source: network?.name ?? source,
    name: network?.campaignName ?? campaign,
    medium,
    ad_group: network?.adGroupName,
    ad_creative: network?.adName,
  };
  return { ...properties, campaign: present(names) };
}

/** segment.com/docs/connections/spec/common/#context */
function contextOf(record: ForwardedRecord): object {
  const { app, attribution, device, identifiers, platform, installId } = record;
  const { utm } = attribution;
  const groups = {
    app: { name: app.name, version: device.appVersion, namespace: namespaceOf(record) },
    campaign: { source: utm?.source, medium: utm?.medium, name: utm?.campaign },
    device: {
      id: identifiers.vendorId ?? installId,
      advertisingId: advertisingIdOf(record),
      model: device.model,
      type: platform === 'other' ? null : platform,
    },
    os: { name: SYSTEMS[platform], version: device.osVersion },
    library: { name: 'throughline', version: VERSION },
    location: { country: device.country },
    traits: personProperties(record),
  };
  const filled = Object.entries(groups).map(([name, fields]) => [name, present(fields)] as const);
  return {
    ...Object.fromEntries(filled.filter(([, fields]) => Object.keys(fields).length > 0)),
    ...present({ locale: device.locale, userAgent: device.userAgent }),
  };
}
