import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MAX_CUSTOMER_IDS, readNotification } from './notification.ts';
import type { RevenueCatEvent } from './schemas.ts';

type Sample = Record<string, unknown>;
const SAMPLES = JSON.parse(readFileSync('test/fixtures/revenuecat.json', 'utf8')) as Record<string, Sample>;
const sample = (name: string, changes: Sample = {}) =>
  ({ ...SAMPLES[name], ...changes }) as Sample & RevenueCatEvent;

/** Sample, event, amount, currency, transaction. */
const RECORDED = [
  ['initialPurchase', 'subscribe', '4.99', 'USD', '123456789012345'],
  ['trialStarted', 'start_trial', null, null, null],
  ['renewal', 'subscription_renewed', '7.99', 'EUR', '123456789012345'],
  ['nonRenewingPurchase', 'purchase', '32.99', 'CAD', '123456789012345'],
  ['refund', 'refund', '-9.99', 'USD', `100000000000000-refund-${SAMPLES.refund?.id}`],
  [
    ...(['refundReversed', 'refund_reversed', '5', 'USD'] as const),
    `123456789012345-refund-reversed-${SAMPLES.refundReversed?.id}`,
  ],
  ['cancellation', 'subscription_cancelled', null, null, null],
  ['trialCancelled', 'subscription_cancelled', null, null, null],
  ['uncancellation', 'subscription_uncancelled', null, null, null],
  ['expiration', 'subscription_expired', null, null, null],
  ['billingIssue', 'billing_issue', null, null, null],
  ['productChange', 'product_changed', null, null, null],
  ['subscriptionPaused', 'subscription_paused', null, null, null],
  ['subscriptionExtended', 'subscription_extended', null, null, null],
] as const;

const COUNTED = [
  ...['transfer', 'virtualCurrency', 'invoiceIssuance', 'temporaryEntitlementGrant', 'experimentEnrollment'],
];

describe('events of RevenueCat', () => {
  for (const [name, eventName, amount, currency, transactionId] of RECORDED)
    it(`${name} becomes ${eventName}${amount === null ? ' without revenue' : ` of ${amount} ${currency}`}`, () => {
      const { purchase } = readNotification(sample(name));
      assert.equal(purchase?.eventName, eventName);
      assert.deepEqual(purchase?.revenue, amount === null ? null : { amount, currency });
      assert.equal(purchase?.transactionId, transactionId);
    });

  for (const name of COUNTED)
    it(`${name} is only counted`, () => assert.equal(readNotification(sample(name)).purchase, null));

  it('every sample is one of these', () => {
    const tested = [...RECORDED.map(([name]) => name), ...COUNTED, 'source'];
    assert.deepEqual(Object.keys(SAMPLES).sort(), tested.sort());
  });

  it('the first payment after a trial is a subscription, and what the dashboard granted is none', () => {
    const of = (changes: Sample) => readNotification(sample('renewal', changes)).purchase?.eventName;
    assert.equal(of({ is_trial_conversion: true }), 'subscribe');
    assert.equal(of({ store: 'PROMOTIONAL' }), undefined);
  });

  it('a refund is negative, whatever the sign of its price', () => {
    const { purchase } = readNotification(sample('refund', { price_in_purchased_currency: 9.99 }));
    assert.deepEqual(purchase?.revenue, { amount: '-9.99', currency: 'USD' });
  });

  for (const [price, amount] of [
    [9900, '9900'],
    [0.1 + 0.2, '0.3'],
    [25.487, '25.487'],
    [0.00001, null],
    [1e12, null],
    [Number.NaN, null],
    ['9.99', '4.99'],
    [null, '4.99'],
  ] as const)
    it(`a price of ${price} is ${amount ?? 'no revenue'}`, () => {
      const event = sample('initialPurchase', { price_in_purchased_currency: price });
      const { purchase } = readNotification(Number.isNaN(price) ? { ...event, price: null } : event);
      assert.equal(purchase?.revenue?.amount ?? null, amount);
    });

  it('a purchase of a negative price has no revenue, and one in XXX the price in US dollars', () => {
    const of = (changes: Sample) => readNotification(sample('initialPurchase', changes)).purchase?.revenue;
    assert.equal(of({ price: -4.99, price_in_purchased_currency: -4.99 }), null);
    for (const currency of ['XXX', 'XTS', 'XAU', 'usd', 'EURO'])
      assert.deepEqual(of({ currency, price: 5 }), { amount: '5', currency: 'USD' });
    for (const currency of ['XOF', 'XAF', 'XCD', 'XPF', 'CHF'])
      assert.deepEqual(of({ currency }), { amount: '4.99', currency });
  });

  it('what the family shares has no revenue, nor has its refund', () => {
    for (const name of ['initialPurchase', 'renewal', 'refund']) {
      const { purchase, transaction } = readNotification(sample(name, { is_family_share: true }));
      assert.equal(purchase?.revenue, null);
      assert.equal(transaction.unpriced, null);
    }
  });

  it('a refund without a price is a refund, whose price is that of the purchase; of a trial it is none', () => {
    for (const price of [null, 0, 'free']) {
      const event = sample('refund', { price, price_in_purchased_currency: price });
      const { purchase, transaction } = readNotification(event);
      assert.deepEqual([purchase?.eventName, purchase?.revenue], ['refund', null]);
      assert.equal(transaction.unpriced, 'returned');
    }
    const ofTrial = readNotification(sample('refund', { period_type: 'TRIAL', price: 0 }));
    assert.equal(ofTrial.purchase?.eventName, 'subscription_cancelled');
  });

  it('each refund of a transaction counts once, by the ID of its event', () => {
    const of = (id: string) => readNotification(sample('refund', { id })).purchase?.transactionId;
    assert.notEqual(of('a'), of('b'));
    assert.ok((of('x'.repeat(255)) ?? '').length <= 255);
  });

  it('what names nobody is no customer', () => {
    const wrong = ['', '   ', '\t', 'x'.repeat(256), 'half \ufffd', 7, null, { id: 'a' }];
    const { customerIds } = readNotification(
      sample('renewal', { app_user_id: 7, original_app_user_id: ' ', aliases: wrong }),
    );
    assert.deepEqual(customerIds, []);
  });

  it('among many aliases the app’s own come before those that RevenueCat made', () => {
    const aliases = Array.from({ length: 500 }, (_, n) => `$RCAnonymousID:${n}`);
    const { customerIds } = readNotification(sample('renewal', { aliases: [...aliases, 'ada'] }));
    assert.ok(customerIds.includes('ada'));
    assert.equal(customerIds.length, MAX_CUSTOMER_IDS);
  });

  it('without a currency the price in US dollars counts', () => {
    const { purchase } = readNotification(sample('renewal', { currency: null }));
    assert.deepEqual(purchase?.revenue, { amount: '8.14', currency: 'USD' });
  });

  it('a purchase happened when it was bought, the rest when RevenueCat made the event; a wrong time is none', () => {
    const of = (name: string, changes: Sample = {}) =>
      readNotification(sample(name, changes)).purchase?.occurredAt;
    assert.equal(of('initialPurchase'), '2022-07-25T05:19:34.000Z');
    assert.equal(of('refund'), '2020-09-29T00:00:15.995Z');
    assert.equal(of('refund', { event_timestamp_ms: 78789789798798e3 }), null);
    assert.equal(of('refund', { event_timestamp_ms: -1 }), null);
  });

  it('the attribute, the App User ID, the original one and the aliases name the customer, in this order', () => {
    const subscriber_attributes = { throughline_install_id: { value: 'i', updated_at_ms: 1 } };
    const { customerIds } = readNotification(sample('refund', { subscriber_attributes }));
    assert.deepEqual(customerIds, [
      'i',
      '$RCAnonymousID:12345678-1234-ABCD-1234-123456789123',
      '$RCAnonymousID:12345678-1234-1234-1234-123456789123',
      'user_1234',
    ]);
  });

  it('attributes of the customer are in no property, and texts and lists are bounded', () => {
    const long = 'x'.repeat(10_000);
    const event = Object.fromEntries(Object.keys(sample('refund')).map((name) => [name, long]));
    const lists = {
      aliases: Array.from({ length: 1_000 }, (_, n) => `alias ${n}`),
      entitlement_ids: Array(1_000).fill(long),
    };
    const made = readNotification({ ...event, ...lists, id: 'id', type: 'RENEWAL' });
    assert.ok(JSON.stringify(made).length < 20_000);
    assert.ok(made.customerIds.length <= MAX_CUSTOMER_IDS);
    assert.doesNotMatch(JSON.stringify(readNotification(sample('initialPurchase'))), /gmail/);
  });
});
