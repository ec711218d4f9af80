import { StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface MetaEvent extends Fields {
  readonly event_name: string;
  readonly event_time: number;
  readonly event_id?: string;
  readonly action_source: string;
  readonly user_data: Fields;
  readonly custom_data?: Fields;
  readonly app_data: Fields;
}

const DAY_SECONDS = 86_400;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

/**
 * Meta's Conversions API with app events. One wrong event refuses the whole call.
 * developers.facebook.com/docs/marketing-api/conversions-api/app-events, …/using-the-api, …/support,
 * docs/graph-api/guides/error-handling
 */
export class StandInMeta extends StandIn {
  readonly datasetId = '1372889104031125';
  readonly accessToken = 'EAAB-token';
  readonly testEventCode = 'TEST12345';
  /** By name and ID of the event, which tell repeats apart. */
  readonly stored = new Map<string, MetaEvent>();
  /** Shown in Test events, counted nowhere. */
  readonly tested: MetaEvent[] = [];
  nowMs = Date.parse('2026-11-20T12:00:00Z');

  protected override answer({ method, path, query, headers, body }: StandInRequest): StandInAnswer {
    if (query.get('access_token') !== this.accessToken)
      return refusal(190, 'OAuthException', 'Invalid OAuth access token - Cannot parse access token');
    if (method !== 'POST' || path !== `/v25.0/${this.datasetId}/events`)
      return refusal(100, 'GraphMethodException', 'Unsupported post request. Object does not exist');
    if (headers['content-type']?.startsWith('application/json') !== true)
      return refusal(100, 'OAuthException', '(#100) param data must be non-empty.');
    const { data, test_event_code: code } = JSON.parse(body) as {
      data?: MetaEvent[];
      test_event_code?: string;
    };
    if (!Array.isArray(data) || data.length === 0)
      return refusal(100, 'OAuthException', '(#100) param data must be non-empty.');
    if (data.length > 1_000) return refusal(100, 'OAuthException', 'Too many events: the limit is 1,000.');
    const problem = data.map((event) => problemOf(event, this.nowMs)).find((each) => each !== null);
    if (problem !== undefined && problem !== null)
      return refusal(100, 'OAuthException', 'Invalid parameter', problem);
    for (const event of data) {
      if (code === this.testEventCode) this.tested.push(event);
      else this.stored.set(`${event.event_name} ${event.event_id}`, event);
    }
    return { status: 200, body: { events_received: data.length, messages: [], fbtrace_id: 'Axyz' } };
  }
}

/** As the Graph API answers; rate limits come with 400 as well. */
export function refusal(code: number, type: string, message: string, userMessage?: string): StandInAnswer {
  const more = userMessage === undefined ? {} : { error_subcode: 2_804_003, error_user_msg: userMessage };
  return {
    status: 400,
    body: { error: { message, type, code, is_transient: false, ...more, fbtrace_id: 'A' } },
  };
}

function problemOf(event: MetaEvent, nowMs: number): string | null {
  const { event_name: name, event_time: time, event_id: id, user_data: user = {} } = event;
  if (!/^[0-9a-zA-Z_][0-9a-zA-Z _-]{0,39}$/.test(name)) return 'event_name is invalid.';
  if (!Number.isInteger(time) || time > nowMs / 1_000 + 60) return 'event_time is invalid.';
  if (nowMs / 1_000 - time > 7 * DAY_SECONDS)
    return 'The timestamp for this event is too far in the past. Events need to be sent within 7 days.';
  if (event.action_source !== 'app') return 'action_source must be app.';
  if (id !== undefined && typeof id !== 'string') return 'event_id is invalid.';
  const hashes = user.external_id as unknown;
  if (hashes !== undefined && !(Array.isArray(hashes) && hashes.every((each) => HEX_SHA256.test(each))))
    return 'external_id should be hashed.';
  if (!('madid' in user || 'anon_id' in user || hashes !== undefined))
    return 'This event does not have enough customer information parameters.';
  return problemOfAppData(event.app_data) ?? problemOfCustomData(name, event.custom_data ?? {});
}

function problemOfAppData(app: Fields = {}): string | null {
  for (const name of ['advertiser_tracking_enabled', 'application_tracking_enabled'])
    if (![0, 1, true, false].includes(app[name] as number)) return `app_data: ${name} is required.`;
  const extinfo = app.extinfo as unknown;
  if (!Array.isArray(extinfo) || extinfo.length !== 16 || extinfo.some((each) => typeof each !== 'string'))
    return 'app_data: extinfo must have 16 values; empty ones are empty strings.';
  if (!['a2', 'i2'].includes(extinfo[0])) return 'extinfo: the version must be a2 or i2.';
  return extinfo[4] === '' ? 'extinfo: the OS version is required.' : null;
}

function problemOfCustomData(name: string, { value, currency }: Fields): string | null {
  if (name === 'Purchase' && value === undefined) return 'Purchase: value is required.';
  if (value !== undefined && (typeof value !== 'number' || value < 0)) return 'value is invalid.';
  if (value !== undefined && !/^[A-Z]{3}$/.test(String(currency))) return 'currency is required.';
  return null;
}
