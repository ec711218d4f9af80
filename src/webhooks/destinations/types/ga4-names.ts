/**
 * Names of events and parameters as Google Analytics takes them.
 * support.google.com/analytics/answer/13316687 (rules, reserved names of apps), answer/9267744 (lengths),
 * developers.google.com/analytics/devguides/collection/protocol/ga4/reference#reserved_names
 */
import { toValidName } from '../ads.ts';

export const MAX_VALUE_CHARACTERS = 100;
export const MAX_PARAMETERS = 25;

/** What the Firebase SDK logs itself. */
const RESERVED_EVENT_NAMES: ReadonlySet<string> = new Set([
  ...[
    'ad_activeview',
    'ad_click',
    'ad_exposure',
    'ad_impression',
    'ad_query',
    'ad_reward',
    'adunit_exposure',
  ],
  ...['app_background', 'app_clear_data', 'app_exception', 'app_install', 'app_remove', 'app_update'],
  ...['app_upgrade', 'app_store_refund', 'app_store_subscription_cancel', 'app_store_subscription_convert'],
  ...['app_store_subscription_renew', 'dynamic_link_app_open', 'dynamic_link_app_update'],
  ...['dynamic_link_first_open', 'error', 'firebase_campaign', 'first_open', 'first_visit', 'ga_campaign'],
  ...['ga_extra_parameter', 'in_app_purchase', 'notification_dismiss', 'notification_foreground'],
  ...['notification_open', 'notification_receive', 'notification_send', 'os_update', 'screen_view'],
  ...['session_start', 'session_start_with_rollout', 'user_engagement'],
]);
const RESERVED_PREFIX = /^(_|firebase_|ga_|google_|gtag\.)/i;
const RULES = { forbidden: /[^\p{L}\p{N}_]+/gu, maxCharacters: 40 };
const LETTER_FIRST = /^\p{L}/u;

/** @returns a name that Analytics takes: `e_` stands before one that it would refuse. */
export function toEventName(name: string): string {
  const isFree = LETTER_FIRST.test(name) && !RESERVED_PREFIX.test(name) && !RESERVED_EVENT_NAMES.has(name);
  return toValidName(name, { ...RULES, prefix: isFree ? '' : 'e_' });
}

/** @returns null for a name that is reserved. */
export function toParameterName(name: string): string | null {
  if (RESERVED_PREFIX.test(name)) return null;
  return toValidName(name, { ...RULES, prefix: LETTER_FIRST.test(name) ? '' : 'p_' });
}
