import { parseBody, StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

type AmplitudeEvent = Readonly<Record<string, unknown>>;

const RESERVED =
  /^\[Amplitude\] (Start Session|End Session|Revenue|Revenue \((Un)?[Vv]erified\)|Merged User)$/;
const INVALID_IDS = [
  'anonymous',
  'nil',
  'none',
  'null',
  'n/a',
  'na',
  'undefined',
  'unknown',
  '',
  '{}',
  'lmy47d',
].concat(['0', '-1', '00000000-0000-0000-0000-000000000000']);
const TEXTS = [
  'app_version',
  'platform',
  'os_name',
  'os_version',
  'device_model',
  'country',
  'language',
].concat(['idfa', 'adid', 'idfv', 'insert_id', 'library', 'currency', 'user_id', 'device_id']);

/** Amplitude's HTTP V2 API: all events of a call or none. amplitude.com/docs/apis/analytics/http-v2 */
export class StandInAmplitude extends StandIn {
  readonly apiKey = 'my_amplitude_api_key';
  /** By `insert_id`. */
  readonly stored = new Map<unknown, AmplitudeEvent>();
  /** Devices over their rate. */
  readonly throttled = new Set<unknown>();
  readonly overDailyQuota = new Set<unknown>();

  protected override answer({ method, path, headers, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/2/httpapi') return refusal('Invalid request path');
    if (headers['content-type'] !== 'application/json') return refusal('Invalid JSON request body');
    if (Buffer.byteLength(body) > 1_000_000)
      return { status: 413, body: { code: 413, error: 'Payload too large' } };
    const call = parseBody<Record<string, unknown>>(body);
    if (call === null) return refusal('Invalid JSON request body');
    for (const field of ['api_key', 'events'])
      if (!call[field]) return refusal('Request missing required field', { missing_field: field });
    if (call.api_key !== this.apiKey) return refusal(`Invalid API key: ${call.api_key}`);
    const events = call.events as AmplitudeEvent[];
    if (events.length > 2_000) return { status: 413, body: { code: 413, error: 'Payload too large' } };
    const minLength = (call.options as { min_id_length?: number } | undefined)?.min_id_length ?? 5;
    return this.#judge(events, minLength) ?? this.#store(events, body);
  }

  #judge(events: readonly AmplitudeEvent[], minLength: number): StandInAnswer | null {
    const invalid = indexesBy(events, (event) => invalidFieldOf(event, minLength));
    const missing = indexesBy(events, (event) => missingFieldOf(event));
    if (Object.keys(missing).length > 0)
      return refusal('Request missing required field', { events_with_missing_fields: missing });
    if (Object.keys(invalid).length > 0)
      return refusal('Invalid field values on some events', { events_with_invalid_fields: invalid });
    const throttled = indexesBy(events, ({ device_id: id }) => (this.throttled.has(id) ? String(id) : null));
    const overQuota = events.map(({ device_id: id }) => id).filter((id) => this.overDailyQuota.has(id));
    if (Object.keys(throttled).length + overQuota.length === 0) return null;
    return {
      status: 429,
      body: {
        code: 429,
        error: 'Too many requests for some devices and users',
        eps_threshold: 30,
        throttled_devices: Object.fromEntries(Object.keys(throttled).map((id) => [id, 31])),
        throttled_events: Object.values(throttled).flat(),
        exceeded_daily_quota_devices: Object.fromEntries(overQuota.map((id) => [id, 500_001])),
      },
    };
  }

  #store(events: readonly AmplitudeEvent[], body: string): StandInAnswer {
    for (const event of events)
      if (!this.stored.has(event.insert_id)) this.stored.set(event.insert_id, event);
    const sizes = { events_ingested: events.length, payload_size_bytes: Buffer.byteLength(body) };
    return { status: 200, body: { code: 200, ...sizes, server_upload_time: 1_396_381_378_123 } };
  }
}

function refusal(error: string, fields: object = {}): StandInAnswer {
  return { status: 400, body: { code: 400, error, ...fields } };
}

function missingFieldOf({
  event_type: type,
  user_id: user,
  device_id: device,
}: AmplitudeEvent): string | null {
  if (!type) return 'event_type';
  return user === undefined && device === undefined ? 'user_id' : null;
}

function invalidFieldOf(event: AmplitudeEvent, minLength: number): string | null {
  const { time, event_type: type, revenue, event_properties: properties } = event;
  if (typeof type === 'string' && RESERVED.test(type)) return 'event_type';
  if (time !== undefined && !Number.isInteger(time)) return 'time';
  if (revenue !== undefined && typeof revenue !== 'number') return 'revenue';
  if (properties !== undefined && (typeof properties !== 'object' || depthOf(properties) > 40))
    return 'event_properties';
  for (const field of ['user_id', 'device_id']) {
    const id = event[field];
    if (id !== undefined && (INVALID_IDS.includes(String(id)) || String(id).length < minLength)) return field;
  }
  return TEXTS.find((field) => event[field] !== undefined && typeof event[field] !== 'string') ?? null;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function indexesBy(
  events: readonly AmplitudeEvent[],
  nameOf: (event: AmplitudeEvent) => string | null,
): Record<string, number[]> {
  const indexes: Record<string, number[]> = {};
  events.forEach((event, index) => {
    const name = nameOf(event);
    if (name === null) return;
    indexes[name] ??= [];
    indexes[name].push(index);
  });
  return indexes;
}
