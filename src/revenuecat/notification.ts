/** Reads what RevenueCat sends; pure. */
import type { RecordEventInput } from '../events/index.ts';
import { isoTime, LATEST_MS } from '../lib/clock.ts';
import { truncateUtf8 } from '../lib/text.ts';
import { recordedKind } from './kinds.ts';
import type { RevenueCatEvent } from './schemas.ts';

/** An event to record for an install that is not known yet. */
export type Purchase = Omit<RecordEventInput, 'installId' | 'userId' | 'eventId'>;

export interface Notification {
  /** RevenueCat's own, the same in each repetition. */
  readonly id: string;
  readonly kind: string;
  /** From the App Store's or Play's sandbox. */
  readonly isSandbox: boolean;
  /** User IDs or install IDs of the customer, the likeliest first. */
  readonly customerIds: readonly string[];
  /** Null for a kind that is only counted. */
  readonly purchase: Purchase | null;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_ID_CHARACTERS = 255;
/** A customer has few; each is looked up. */
const MAX_CUSTOMER_IDS = 50;
/** The attribute of the customer that an app without user IDs sets. */
const INSTALL_ATTRIBUTE = 'throughline_install_id';

export function readNotification({ id, type: kind, ...others }: RevenueCatEvent): Notification {
  const event: Fields = { id, ...others };
  return {
    ...{ id, kind, isSandbox: event.environment === 'SANDBOX' },
    customerIds: customerIdsOf(event),
    purchase: purchaseOf(kind, event),
  };
}

function customerIdsOf(event: Fields): string[] {
  const attributes = fieldsOf(event.subscriber_attributes);
  const given = [
    fieldsOf(attributes[INSTALL_ATTRIBUTE]).value,
    ...[event.app_user_id, event.original_app_user_id],
    ...(Array.isArray(event.aliases) ? event.aliases : []),
  ];
  const ids = given.flatMap((value) => textOf(value, MAX_ID_CHARACTERS) ?? []);
  return [...new Set(ids)].slice(0, MAX_CUSTOMER_IDS);
}

function purchaseOf(kind: string, event: Fields): Purchase | null {
  const recorded = recordedKind({
    kind,
    price: numberOf(event.price_in_purchased_currency) ?? numberOf(event.price) ?? 0,
    periodType: event.period_type,
    store: event.store,
    isTrialConversion: event.is_trial_conversion,
    cancelReason: event.cancel_reason,
  });
  if (recorded === null) return null;
  const { eventName, money, transactionSuffix = '', atPurchase } = recorded;
  const revenue = money === undefined ? null : revenueOf(event, money);
  const transactionId = textOf(event.transaction_id, MAX_ID_CHARACTERS - transactionSuffix.length);
  return {
    eventName,
    properties: propertiesOf(event),
    revenue,
    transactionId: revenue === null || transactionId === null ? null : `${transactionId}${transactionSuffix}`,
    occurredAt: (atPurchase && timeOf(event.purchased_at_ms)) || timeOf(event.event_timestamp_ms),
  };
}

const MAX_AMOUNT = 1e12;

/** The gross price as the customer paid it; in US dollars, as RevenueCat converts it, where the currency is unknown. */
function revenueOf(event: Fields, money: 'earned' | 'returned'): Purchase['revenue'] {
  const { currency } = event;
  const paid = numberOf(event.price_in_purchased_currency);
  const isKnown = paid !== null && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  const price = isKnown ? paid : numberOf(event.price);
  if (price === null || Math.abs(price) >= MAX_AMOUNT) return null;
  const amount = Math.abs(price)
    .toFixed(4)
    .replace(/\.?0+$/, '');
  if (amount === '0') return null;
  return { amount: money === 'returned' ? `-${amount}` : amount, currency: isKnown ? currency : 'USD' };
}

const TEXTS = [
  ...['store', 'environment', 'period_type', 'country_code', 'offer_code', 'presented_offering_id'],
  ...['cancel_reason', 'expiration_reason', 'new_product_id', 'transaction_id', 'original_transaction_id'],
];
const NUMBERS = ['renewal_number', 'tax_percentage', 'commission_percentage', 'takehome_percentage'];
const FLAGS = ['is_trial_conversion', 'is_family_share'];
const MAX_TEXT_BYTES = 255;
const MAX_ENTITLEMENTS = 20;

/** Facts of the purchase. Attributes of the customer, such as the email, stay out. */
function propertiesOf(event: Fields): Record<string, unknown> {
  const entitlements = Array.isArray(event.entitlement_ids) ? event.entitlement_ids : [];
  const all: [string, unknown][] = [
    ['revenuecat_event_id', shortText(event.id)],
    ['item_id', shortText(event.product_id)],
    ...TEXTS.map((name): [string, unknown] => [name, shortText(event[name])]),
    ...NUMBERS.map((name): [string, unknown] => [name, numberOf(event[name])]),
    ...FLAGS.map((name): [string, unknown] => [name, typeof event[name] === 'boolean' ? event[name] : null]),
    ['entitlement_ids', entitlements.slice(0, MAX_ENTITLEMENTS).flatMap((id) => shortText(id) ?? [])],
  ];
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? truncateUtf8(value, MAX_TEXT_BYTES) : null;
}

/** Null for a longer text too: a part of an ID names another thing. */
function textOf(value: unknown, maxCharacters: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxCharacters ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function timeOf(ms: unknown): string | null {
  const time = numberOf(ms);
  return time !== null && time >= 0 && time <= LATEST_MS ? isoTime(Math.floor(time)) : null;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
