/** Reads what RevenueCat sends; pure. */
import type { RecordEventInput } from '../events/index.ts';
import { isoTime, LATEST_MS } from '../lib/clock.ts';
import { truncate, truncateUtf8 } from '../lib/text.ts';
import { INSTALL_ATTRIBUTE, UNSTORABLE } from './body.ts';
import { type Money, type RecordedKind, recordedKind } from './kinds.ts';
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
  readonly transaction: StoreTransaction;
  /** Null for a kind that is only counted. */
  readonly purchase: Purchase | null;
}

/** What the store calls a transaction of RevenueCat's event, and the first one of its subscription. */
export interface StoreTransaction {
  readonly id: string | null;
  readonly originalId: string | null;
  /** Whether something was bought by it; otherwise it was before. */
  readonly isPurchase: boolean;
  /** How the price of the purchase counts for an event without one; null if it does not. */
  readonly unpriced: Money | null;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_ID_CHARACTERS = 255;
/** A customer has few; each is looked up. */
export const MAX_CUSTOMER_IDS = 200;
/** RevenueCat's own for whoever has not signed in: apps rarely know them. */
const ANONYMOUS = '$RCAnonymousID:';

export function readNotification({ id, type: kind, ...others }: RevenueCatEvent): Notification {
  const event: Fields = { id, ...others };
  const recorded = recordedKind({
    kind,
    periodType: event.period_type,
    store: event.store,
    isTrialConversion: event.is_trial_conversion,
    cancelReason: event.cancel_reason,
  });
  const revenue = recorded === null ? null : revenueOf(event, recorded);
  return {
    ...{ id, kind, isSandbox: event.environment === 'SANDBOX' },
    customerIds: customerIdsOf(event),
    transaction: transactionOf(event, recorded, revenue),
    purchase: recorded === null ? null : purchaseOf(event, recorded, revenue),
  };
}

function customerIdsOf(event: Fields): string[] {
  const attributes = fieldsOf(event.subscriber_attributes);
  const given = [
    fieldsOf(attributes[INSTALL_ATTRIBUTE]).value,
    ...[event.app_user_id, event.original_app_user_id],
    ...(Array.isArray(event.aliases) ? event.aliases : []),
  ];
  const ids = [...new Set(given.flatMap((value) => idOf(value) ?? []))];
  const isAnonymous = (id: string) => id.startsWith(ANONYMOUS);
  // Within the limit, those that an app knows come before those that it does not.
  const kept = new Set(
    [...ids.filter((id) => !isAnonymous(id)), ...ids.filter(isAnonymous)].slice(0, MAX_CUSTOMER_IDS),
  );
  return ids.filter((id) => kept.has(id));
}

function transactionOf(
  event: Fields,
  recorded: RecordedKind | null,
  revenue: Purchase['revenue'],
): StoreTransaction {
  return {
    id: idOf(event.transaction_id),
    originalId: idOf(event.original_transaction_id),
    isPurchase: recorded?.atPurchase === true,
    unpriced: recorded !== null && isUnpriced(event, recorded, revenue) ? (recorded.money ?? null) : null,
  };
}

function purchaseOf(event: Fields, recorded: RecordedKind, revenue: Purchase['revenue']): Purchase {
  const { eventName, transactionSuffix, atPurchase } = recorded;
  const isCounted = revenue !== null || isUnpriced(event, recorded, revenue);
  const suffix = transactionSuffix === undefined ? '' : `${transactionSuffix}-${shortIdOf(event)}`;
  const transactionId = idOf(event.transaction_id, MAX_ID_CHARACTERS - suffix.length);
  return {
    eventName,
    properties: propertiesOf(event),
    revenue,
    transactionId: isCounted && transactionId !== null ? `${transactionId}${suffix}` : null,
    occurredAt: (atPurchase && timeOf(event.purchased_at_ms)) || timeOf(event.event_timestamp_ms),
  };
}

function isUnpriced(
  event: Fields,
  { transactionSuffix }: RecordedKind,
  revenue: Purchase['revenue'],
): boolean {
  return transactionSuffix !== undefined && revenue === null && !isShared(event);
}

/** RevenueCat's are UUIDs. */
const MAX_SUFFIX_CHARACTERS = 64;

function shortIdOf({ id }: Fields): string {
  return truncate(String(id), MAX_SUFFIX_CHARACTERS);
}

const MAX_AMOUNT = 1e12;
/** As `Revenue` takes them, without metals, units, tests and `XXX`, which is none. */
const CURRENCY = /^(?!X(?!AF|CD|CG|OF|PF))[A-Z]{3}$/;

/**
 * The gross price as the customer paid it; in US dollars, as RevenueCat converts it, where the currency is unknown. A
 * refund may have either sign. A purchase that the family shares was paid by another member, and RevenueCat's charts
 * leave it out too (https://www.revenuecat.com/docs/platform-resources/apple-platform-resources/apple-family-sharing).
 */
function revenueOf(event: Fields, { money }: RecordedKind): Purchase['revenue'] {
  if (money === undefined || isShared(event)) return null;
  const { currency } = event;
  const priceOf = (value: unknown) => {
    const price = numberOf(value);
    return price !== null && price < 0 && money === 'earned' ? null : price;
  };
  const paid = priceOf(event.price_in_purchased_currency);
  const isKnown = paid !== null && typeof currency === 'string' && CURRENCY.test(currency);
  const price = isKnown ? paid : priceOf(event.price);
  if (price === null || Math.abs(price) >= MAX_AMOUNT) return null;
  const amount = Math.abs(price)
    .toFixed(4)
    .replace(/\.?0+$/, '');
  if (amount === '0') return null;
  return signed({ amount, currency: isKnown ? currency : 'USD' }, money);
}

/** An amount as it is earned or paid back. */
export function signed({ amount, currency }: { amount: string; currency: string }, money: Money) {
  const size = amount.replace(/^-/, '');
  return { amount: money === 'returned' ? `-${size}` : size, currency };
}

function isShared(event: Fields): boolean {
  return event.is_family_share === true;
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

/** Null for what names nothing: a blank text, one with what cannot be stored, and a longer one, whose part names another thing. */
function idOf(value: unknown, maxCharacters = MAX_ID_CHARACTERS): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.includes(UNSTORABLE)) return null;
  return value.length <= maxCharacters ? value : null;
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
