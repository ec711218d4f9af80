import { StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface TikTokEvent extends Fields {
  readonly event: string;
  readonly event_time: number;
  readonly event_id?: string;
  readonly user: Fields;
  readonly app: Fields;
  readonly properties?: Fields;
}

const ATT_STATUSES = ['AUTHORIZED', 'DENIED', 'NOT_DETERMINED', 'RESTRICTED', 'NOT_APPLICABLE'];

/**
 * TikTok's Events API 2.0 with app events. It answers 200 to errors too, whose `code` is not 0.
 * business-api.tiktok.com/portal/docs?id=1771101303285761, ?id=1737172488964097
 */
export class StandInTikTok extends StandIn {
  readonly eventSourceId = '7123456789012345678';
  readonly accessToken = 'tt-token';
  /** By event and ID, which tell repeats apart. */
  readonly stored = new Map<string, TikTokEvent>();
  readonly tested: TikTokEvent[] = [];

  protected override answer({ method, path, headers, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/open_api/v1.3/event/track/') return { status: 404, body: '' };
    if (headers['access-token'] !== this.accessToken)
      return coded(40_105, 'Access token is incorrect or has been revoked.');
    const call = JSON.parse(body) as Fields & { data?: TikTokEvent[] };
    if (call.event_source !== 'app') return coded(40_002, 'Invalid value for event_source.');
    if (call.event_source_id !== this.eventSourceId)
      return coded(40_001, 'No permission to operate the event source.');
    const { data = [] } = call;
    if (data.length === 0 || data.length > 1_000) return coded(40_002, 'data: length must be 1 to 1000.');
    const problem = data.map(problemOf).find((each) => each !== null);
    if (problem !== undefined && problem !== null) return coded(40_002, problem);
    for (const event of data) {
      if (call.test_event_code !== undefined) this.tested.push(event);
      else this.stored.set(`${event.event} ${event.event_id}`, event);
    }
    return coded(0, 'OK');
  }
}

export function coded(code: number, message: string): StandInAnswer {
  return { status: 200, body: { code, message, request_id: '2026112017091', data: {} } };
}

function problemOf({
  event,
  event_time: time,
  event_id: id,
  user = {},
  app = {},
  properties = {},
}: TikTokEvent) {
  if (typeof event !== 'string' || event === '') return 'Missing data for required field: event.';
  // ads.tiktok.com/help/article/custom-events
  if (!/^[A-Za-z][0-9A-Za-z_-]{0,49}$/.test(event)) return 'Invalid value for event: no name of an event.';
  if (!Number.isInteger(time) || String(time).length !== 10) return 'Invalid value for event_time.';
  if (id !== undefined && typeof id !== 'string') return 'Invalid value for event_id: not a valid string.';
  if (typeof app.app_id !== 'string') return 'Missing data for required field: app.app_id.';
  if (!('idfa' in user || 'idfv' in user || 'gaid' in user)) return 'No identifier of the user.';
  const { idfa = '', gaid = '', att_status: status = 'NOT_APPLICABLE' } = user as Record<string, string>;
  if (idfa !== idfa.toUpperCase()) return 'Invalid value for idfa: raw IDFAs are uppercase.';
  if (gaid !== gaid.toLowerCase()) return 'Invalid value for gaid: GAIDs are lowercase.';
  if (!ATT_STATUSES.includes(status)) return 'Invalid value for att_status.';
  if ('external_id' in user) return 'external_id is for web and CRM events only.';
  const { value, currency, content_type: type = 'product' } = properties;
  if (value !== undefined && typeof value !== 'number') return 'Invalid value for value: not a valid number.';
  if (value !== undefined && !/^[A-Z]{3}$/.test(String(currency))) return 'Invalid value for currency.';
  return ['product', 'product_group'].includes(String(type)) ? null : 'Invalid value for content_type.';
}
