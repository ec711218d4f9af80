/** What becomes of each kind of RevenueCat's events (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields). */

/** Whether the price of a kind is earned or paid back. */
export type Money = 'earned' | 'returned';

export interface RecordedKind {
  /** The event that is recorded. */
  readonly eventName: string;
  readonly money?: Money;
  /**
   * Appended to the ID of the transaction, whose revenue counts once. With it, the event's ID is appended too: a part of a
   * price may be paid back, and all of it more than once. An event without a price has the purchase's.
   */
  readonly transactionSuffix?: string;
  /** Whether it happened when the product was bought; otherwise when RevenueCat made the event. */
  readonly atPurchase?: true;
}

const TRIAL: RecordedKind = { eventName: 'start_trial', atPurchase: true };
const SUBSCRIBED: RecordedKind = { eventName: 'subscribe', money: 'earned', atPurchase: true };
const REFUNDED: RecordedKind = { eventName: 'refund', money: 'returned', transactionSuffix: '-refund' };
const REVERSED: RecordedKind = {
  eventName: 'refund_reversed',
  money: 'earned',
  transactionSuffix: '-refund-reversed',
};

const RECORDED: Readonly<Record<string, RecordedKind>> = {
  INITIAL_PURCHASE: SUBSCRIBED,
  RENEWAL: { eventName: 'subscription_renewed', money: 'earned', atPurchase: true },
  NON_RENEWING_PURCHASE: { eventName: 'purchase', money: 'earned', atPurchase: true },
  CANCELLATION: { eventName: 'subscription_cancelled' },
  REFUND_REVERSED: REVERSED,
  UNCANCELLATION: { eventName: 'subscription_uncancelled' },
  EXPIRATION: { eventName: 'subscription_expired' },
  BILLING_ISSUE: { eventName: 'billing_issue' },
  PRODUCT_CHANGE: { eventName: 'product_changed' },
  SUBSCRIPTION_PAUSED: { eventName: 'subscription_paused' },
  SUBSCRIPTION_EXTENDED: { eventName: 'subscription_extended' },
};

/** Known and only counted. */
const COUNTED = [
  ...['TEST', 'TRANSFER', 'SUBSCRIBER_ALIAS', 'TEMPORARY_ENTITLEMENT_GRANT', 'INVOICE_ISSUANCE'],
  ...['VIRTUAL_CURRENCY_TRANSACTION', 'EXPERIMENT_ENROLLMENT'],
];

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(RECORDED), ...COUNTED]);

export function isKnownKind(kind: string): boolean {
  return KNOWN.has(kind);
}

/** The facts that decide. */
interface Purchase {
  readonly kind: string;
  readonly periodType: unknown;
  readonly store: unknown;
  readonly isTrialConversion: unknown;
  readonly cancelReason: unknown;
}

/** @returns null for a kind that records nothing, and for what the dashboard granted. */
export function recordedKind(purchase: Purchase): RecordedKind | null {
  const { kind, periodType } = purchase;
  if (purchase.store === 'PROMOTIONAL') return null;
  if (kind === 'INITIAL_PURCHASE' && periodType === 'TRIAL') return TRIAL;
  // The first payment.
  if (kind === 'RENEWAL' && purchase.isTrialConversion === true) return SUBSCRIBED;
  // Nobody paid for a trial.
  if (kind === 'CANCELLATION' && purchase.cancelReason === 'CUSTOMER_SUPPORT' && periodType !== 'TRIAL')
    return REFUNDED;
  return Object.hasOwn(RECORDED, kind) ? (RECORDED[kind] ?? null) : null;
}
