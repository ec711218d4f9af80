import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FULL_RECORD } from '../../../test/fixtures/forwarded-records.ts';
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { WebhookRow } from '../webhook.ts';
import type { AnyType, Destination } from './destination.ts';
import type { ForwardedRecord } from './destination-type.ts';
import { describeOutcome, isAllRefused, judge, type Kept, outcomeOf, reasonsOf } from './judge.ts';
import { maskerOf, maskSecrets } from './mask-secrets.ts';
import { readResponse } from './read-response.ts';
import type { ToldTransaction } from './told-transactions.ts';
import { segment } from './types/segment.ts';

const NOW_MS = Date.parse('2026-11-25T12:00:00.000Z');
const RECORD: ForwardedRecord = {
  ...{ ...FULL_RECORD, kind: 'event', name: 'purchase', sandbox: false, deterministicOnly: false },
  occurredAt: '2026-11-25T11:00:00.000Z',
};
const REF = { kind: 'event', id: RECORD.id } as const;
const TYPE = segment as unknown as AnyType;
const DESTINATION: Destination = {
  row: {} as WebhookRow,
  type: TYPE,
  ...{ mapping: {}, consent: 'granted', events: [], eventNames: [], isSandboxOnly: false },
};

function judged(
  change: Partial<Destination>,
  { record = RECORD, ageMs = 0, awaitsNetwork = false, toldBefore = [] as ToldTransaction[] } = {},
) {
  const read = { ref: REF, record, recordedAtMs: NOW_MS - ageMs, awaitsNetwork, toldBefore };
  return judge({ ...DESTINATION, ...change }, { writeKey: 'k' }, { ref: REF, read, nowMs: NOW_MS });
}

const needing = (limits: Partial<AnyType['limits']>, toItem = TYPE.toItem): Pick<Destination, 'type'> => ({
  type: { ...TYPE, limits: { ...TYPE.limits, ...limits }, toItem },
});
const NO_ID = () => ({ unsendable: 'No vendorId.', missingIdentifier: 'vendorId' }) as const;

describe('a record before it is sent', () => {
  it('is sent if nothing speaks against it', () => {
    assert.ok('item' in judged({}));
  });

  it('is left out if it is erased, not chosen, of a sandbox, or without the consent that is asked for', () => {
    const weak = { record: { ...RECORD, deterministicOnly: true } };
    const fates = [
      judge(DESTINATION, {}, { ref: REF, read: null, nowMs: NOW_MS }),
      judged({ events: ['install'] }),
      judged({ eventNames: ['signup'] }),
      judged({ isSandboxOnly: true }),
      judged({}, weak),
    ].map((each) => ('fate' in each ? each.fate : 'sent'));
    assert.deepEqual(new Set(fates), new Set(['left_out']));
    assert.ok('item' in judged({ consent: 'any' }, weak));
  });

  it('is left out if it is not meant for the destination, whoever says so', () => {
    const own = judged(needing({}, () => ({ leftOut: 'Of the other app.' })));
    assert.deepEqual(own, { ref: REF, fate: 'left_out', reason: 'Of the other app.' });
    const sent = [{ ref: REF, item: {}, bytes: 2 }];
    const told = outcomeOf([own as Kept], { sent, results: [{ outcome: 'leftOut', reason: 'Nobody’s.' }] });
    const { leftOut, accepted, refused, retry } = told;
    assert.deepEqual(
      { leftOut, accepted, refused, retry },
      { leftOut: 2, accepted: 0, refused: [], retry: [] },
    );
    assert.equal(isAllRefused(told), false);
  });

  it('is refused with a reason if it is too old or too large for the network', () => {
    const old = judged(needing({ maxAgeMs: 30 * MINUTE_MS }));
    const large = judged(needing({ maxItemBytes: 10 }));
    assert.match('reason' in old ? old.reason : '', /older than/);
    assert.match('reason' in large ? large.reason : '', /bytes/);
  });

  it('waits up to 10 minutes for an identifier, looking ever less often, and is then refused', () => {
    let ageMs = 0;
    const waits: number[] = [];
    for (;;) {
      const each = judged(needing({}, NO_ID), { ageMs });
      assert.ok('fate' in each);
      if (each.fate !== 'waits') {
        assert.match(each.fate === 'refused' ? each.reason : '', /set_identifiers/);
        break;
      }
      waits.push(each.waitMs);
      ageMs += each.waitMs;
    }
    assert.equal(ageMs, 10 * MINUTE_MS);
    assert.equal(waits[0], 20 * SECOND_MS);
    assert.ok(waits.length < 8, `${waits.length} looks`);
    // A clock that went back.
    const early = judged(needing({}, NO_ID), { ageMs: -MINUTE_MS });
    assert.ok('fate' in early && early.fate === 'waits' && early.waitMs > 0);
  });

  it('has the revenue of its transaction if the destination takes none of the events that told it before', () => {
    const record = { ...RECORD, revenue: null, transactionId: 'T', repeatsTransaction: true };
    const revenue = { amount: '9.99', currency: 'EUR' };
    const first = { name: 'subscribe', revenue };
    const amountOf = (eventNames: string[], toldBefore: ToldTransaction[]) => {
      const each = judged({ eventNames }, { record, toldBefore });
      return 'item' in each
        ? (each.item as { properties: { revenue?: number } }).properties.revenue
        : each.fate;
    };
    assert.equal(amountOf(['purchase'], [first]), 9.99);
    assert.equal(amountOf(['purchase', 'subscribe'], [first]), 'left_out');
    assert.equal(amountOf([], [first]), 'left_out');
    assert.equal(amountOf(['purchase'], [first, { name: 'purchase', revenue: null }]), 'left_out');
    // Of another install, or erased.
    assert.equal(amountOf(['purchase'], []), 'left_out');
  });

  it('waits a minute for an ad network that has not answered yet, and is then sent', () => {
    const waits: number[] = [];
    for (let ageMs = 0; ; ageMs += waits.at(-1) ?? 0) {
      const each = judged({}, { ageMs, awaitsNetwork: true });
      if ('item' in each) {
        assert.equal(ageMs, MINUTE_MS);
        break;
      }
      assert.ok(each.fate === 'waits');
      waits.push(each.waitMs);
    }
    assert.deepEqual([waits[0], waits.length < 8], [2 * SECOND_MS, true]);
    const leftOut = judged({ events: ['open'] }, { awaitsNetwork: true });
    assert.ok('fate' in leftOut && leftOut.fate === 'left_out');
  });
});

describe('what becomes of a batch', () => {
  const sent = ['a', 'b', 'c'].map((id) => ({ ref: { kind: 'event', id } as const, item: {}, bytes: 2 }));

  it('the log counts records in words of the service, with reasons apart and bounded', () => {
    const results = [
      { outcome: 'accepted' },
      { outcome: 'refused', reason: 'x'.repeat(10_000) },
      { outcome: 'retry', reason: 'busy' },
    ] as const;
    const outcome = outcomeOf([], { sent, results });
    assert.equal(describeOutcome(outcome), 'Records: 1 accepted, 1 refused, 1 to be sent again.');
    assert.ok(reasonsOf(outcome).length < 1_000);
    assert.equal(isAllRefused(outcome), false);
    assert.equal(describeOutcome(outcomeOf([], { sent })), null);
  });

  it('each status means what it says of the records or of the destination', () => {
    const kindOf = (status: number) =>
      Object.keys(readResponse(TYPE, sent, { status, body: '{"success":true}' }))[0];
    for (const status of [200, 202, 204]) assert.equal(kindOf(status), 'results');
    for (const status of [301, 401, 403, 404, 408, 429, 500, 503]) assert.equal(kindOf(status), 'isHeld');
    for (const status of [400, 413, 422]) assert.equal(kindOf(status), 'refusedWhole');
  });
});

describe('a masked call', () => {
  it('has no secret in any spelling, nor encoded with a name', () => {
    const key = 'se"cret/1 key';
    const call = {
      url: `https://example.com/x?key=${encodeURIComponent(key)}`,
      headers: {
        authorization: `Basic ${Buffer.from(`name:${key}`).toString('base64')}`,
        'x-key': key,
        'x-short': 'abc',
      },
      body: JSON.stringify({ key, plan: 'abc' }),
    };
    const masked = maskSecrets(call, { key, headers: { 'x-short': 'abc' } }, ['key', 'headers']);
    const mask = maskerOf(call, { key }, ['key']);
    const basic = Buffer.from(`name:${key}`).toString('base64');
    const lower = encodeURIComponent(key).replace('%2F', '%2f');
    const form = 'se%22cret%2F1+key';
    const coded = Buffer.from(key).toString('base64');
    for (const told of [key, JSON.stringify({ key }), call.url, lower, form, coded, basic, `Basic ${basic}`])
      assert.doesNotMatch(mask(`wrong: ${told}.`), /cret|c2Ui|bmFtZT/, told);
    assert.equal(mask('the basic key is wrong'), 'the basic key is wrong');
    assert.deepEqual(masked, {
      url: 'https://example.com/x?key=••••',
      headers: { authorization: 'Basic ••••', 'x-key': '••••', 'x-short': '••••' },
      body: '{"key":"••••","plan":"abc"}',
    });
  });
});
