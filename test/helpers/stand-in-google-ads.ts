import { StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

const REQUIRED = ['app_event_type', 'rdid', 'id_type', 'lat', 'app_version', 'os_version', 'sdk_version'];
const EVENT_TYPES = new Set([
  ...['first_open', 'session_start', 'in_app_purchase', 'view_item_list', 'view_item', 'view_search_results'],
  ...['add_to_cart', 'ecommerce_purchase', 'custom'],
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_ID = /^[0-]+$/;
/** `name version (os_and_version; locale; device; build; Proxy)` */
const USER_AGENT = /^\S+ \S+ \((iOS|Android) [^;]+; [a-z]{2,3}(_[^;]+)?; [^;]+; Build\/[^;]+; Proxy\)$/;

/**
 * Google's App Conversion Tracking and Remarketing API: one conversion a call, in the query. Errors are codes in the
 * body. `timestamp_invalid` is Google's; the page of the others is not among what could be read, so they are formed
 * like it: the parameter, then `missing` or `invalid`.
 * developers.google.com/app-conversion-tracking/api/request-response-specs, …/privacy-compliant-guide
 */
export class StandInGoogleAds extends StandIn {
  readonly devToken = 'Z_eErE4DkvcKjDM1OVE4c4';
  readonly linkId = '31FF8D67E5BB5DD5029DCC2734C2F884';
  /** Clicks that a conversion may follow. */
  readonly clicks = new Set<string>();
  readonly conversions: Record<string, string>[] = [];
  nowMs = Date.parse('2026-11-20T12:00:00Z');

  protected override answer({ method, path, query, headers }: StandInRequest): StandInAnswer {
    if (method !== 'POST' || path !== '/pagead/conversion/app/1.0') return { status: 404, body: '' };
    const errors = this.#problemsOf(query);
    if (!USER_AGENT.test(headers['user-agent'] ?? '')) errors.push('user_agent_invalid');
    if (errors.length > 0) return { status: 200, body: { ad_events: [], errors, attributed: false } };
    const conversion = Object.fromEntries(query);
    this.conversions.push(conversion);
    const isClick = [conversion.rdid, conversion.market_referrer_gclid].some((id) =>
      this.clicks.has(id ?? ''),
    );
    const ad = { ad_event_id: 'Q2owS0VRancwZHk0QlJDdXVMX2U1TQ', campaign_id: 123_456_789 };
    return { status: 200, body: { ad_events: isClick ? [ad] : [], errors: [], attributed: isClick } };
  }

  #problemsOf(query: URLSearchParams): string[] {
    const errors: string[] = REQUIRED.filter((name) => !query.get(name)).map((name) => `${name}_missing`);
    const get = (name: string) => query.get(name) ?? '';
    const isOneOf = (name: string, values: readonly string[]) => values.includes(get(name));
    if (get('dev_token') !== this.devToken) errors.push('dev_token_invalid');
    if (get('link_id') !== this.linkId) errors.push('link_id_invalid');
    if (!EVENT_TYPES.has(get('app_event_type'))) errors.push('app_event_type_invalid');
    if ((get('app_event_type') === 'custom') !== (get('app_event_name') !== ''))
      errors.push('app_event_name_invalid');
    if (!UUID.test(get('rdid'))) errors.push('rdid_invalid');
    if (!isOneOf('id_type', ['idfa', 'advertisingid'])) errors.push('id_type_invalid');
    if (!isOneOf('lat', ['0', '1'])) errors.push('lat_invalid');
    if (NO_ID.test(get('rdid')) && !get('market_referrer_gclid') && !get('gbraid'))
      errors.push('rdid_invalid');
    const isTime = /^\d{10}\.\d{6}$/.test(get('timestamp'));
    if (!isTime || Number(get('timestamp')) * 1_000 > this.nowMs) errors.push('timestamp_invalid');
    if (query.has('value') && !/^\d+(\.\d+)?$/.test(get('value'))) errors.push('value_invalid');
    if (query.has('value') && !/^[A-Z]{3}$/.test(get('currency_code'))) errors.push('currency_code_invalid');
    for (const name of ['eea', 'ad_user_data', 'ad_personalization'])
      if (query.has(name) && !isOneOf(name, ['0', '1'])) errors.push(`${name}_invalid`);
    return errors;
  }
}
