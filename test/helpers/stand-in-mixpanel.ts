import { StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

export interface MixpanelEvent {
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const INVALID_IDS = [
  '00000000-0000-0000-0000-000000000000',
  'anon',
  'anonymous',
  'nil',
  'none',
  'null',
  'n/a',
  'na',
].concat(['undefined', 'unknown', '<nil>', '0', '-1', 'true', 'false', '[]', '{}']);
const FIRST_MS = Date.UTC(1971, 0, 1);
/** After the records of tests. */
const NOW_MS = Date.UTC(2100, 0, 1);

/** Mixpanel's /import with strict=1: stores what is valid, and names the rest. docs.mixpanel.com/reference/import-events */
export class StandInMixpanel extends StandIn {
  readonly projectId = '117';
  readonly username = 'throughline.a1b2c3.mp-service-account';
  readonly secret = 'xQ7-service-secret';
  /** By what Mixpanel finds repeats. */
  readonly stored = new Map<string, MixpanelEvent>();

  protected override answer({ method, path, query, headers, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/import') return { status: 404, body: { error: 'not found' } };
    const key = Buffer.from(`${this.username}:${this.secret}`).toString('base64');
    if (headers.authorization !== `Basic ${key}` || query.get('project_id') !== this.projectId)
      return { status: 401, body: { code: 401, error: 'Invalid credentials', status: 'Unauthorized' } };
    if (headers['content-type'] !== 'application/json' || query.get('strict') !== '1')
      return { status: 400, body: { code: 400, error: 'unsupported call', status: 'Bad Request' } };
    const events = JSON.parse(body) as MixpanelEvent[];
    if (Buffer.byteLength(body) > 2_097_152 || events.length > 2_000)
      return {
        status: 413,
        body: {
          code: 413,
          error: 'request exceeds max limit of 2097152 bytes',
          status: 'Request Entity Too Large',
        },
      };
    return this.#store(events);
  }

  #store(events: readonly MixpanelEvent[]): StandInAnswer {
    const failed = events.flatMap((event, index) => {
      const field = invalidFieldOf(event);
      if (field === null) {
        const { time, distinct_id: id, $insert_id: insertId } = event.properties;
        this.stored.set(JSON.stringify([event.event, time, id, insertId]), event);
        return [];
      }
      const message = `'${field}' is invalid`;
      return [{ index, $insert_id: event.properties?.$insert_id, field, message }];
    });
    const imported = { num_records_imported: events.length - failed.length };
    if (failed.length === 0) return { status: 200, body: { code: 200, ...imported, status: 'OK' } };
    const error = 'some data points in the request failed validation';
    return {
      status: 400,
      body: { code: 400, error, failed_records: failed, ...imported, status: 'Bad Request' },
    };
  }
}

function invalidFieldOf({ event, properties, ...others }: MixpanelEvent): string | null {
  if (typeof event !== 'string' || event.trim() === '') return 'event';
  if (Object.keys(others).length > 0) return Object.keys(others).join();
  if (Object.keys(properties).length >= 255) return 'properties';
  if (Buffer.byteLength(JSON.stringify(properties)) > 1_000_000) return 'properties';
  const { time, distinct_id: id, $insert_id: insertId, $device_id: device, $user_id: user } = properties;
  if (!Number.isInteger(time) || (time as number) < FIRST_MS || (time as number) > NOW_MS + 3_600_000)
    return 'properties.time';
  if (typeof id !== 'string' || INVALID_IDS.includes(id)) return 'properties.distinct_id';
  // As the Simplified ID Merge API makes it.
  if (device !== undefined && id !== (user ?? `$device:${device}`)) return 'properties.distinct_id';
  if (typeof insertId !== 'string' || !/^[0-9A-Za-z-]{1,36}$/.test(insertId)) return 'properties.$insert_id';
  const deep = Object.entries(properties).find(([, value]) => isTooDeep(value, 1));
  return deep === undefined ? null : `properties.${deep[0]}`;
}

function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const children = Object.values(value);
  return depth > 3 || children.length >= 255 || children.some((child) => isTooDeep(child, depth + 1));
}
