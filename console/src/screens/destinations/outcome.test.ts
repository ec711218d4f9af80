import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DestinationDelivery } from '@generated/types.gen.ts';
import { readDetails, stateOf } from './outcome.ts';

const ID = '01a1fa01-9f65-727b-9240-57b838adab86';
const DELIVERY: DestinationDelivery = {
  ...{ id: ID, messageId: ID, test: false, httpStatus: 200, success: true, summary: null, details: '' },
  records: [
    { kind: 'event', id: ID },
    { kind: 'install', id: ID },
  ],
  ...{ attemptNumber: 1, durationMs: 5, startedAt: '2026-01-31T12:00:00.000Z' },
  ...{ nextAttemptAt: null, givenUp: false },
};

describe('the log of a destination', () => {
  it('says what became of the records, and whether something is wrong', () => {
    const cases = [
      [{}, '2 records accepted.', false],
      [{ summary: 'Records: 1 accepted, 1 refused.' }, '1 accepted, 1 refused.', true],
      [
        { success: false, summary: 'The receiver answered 500.', nextAttemptAt: '2026-01-01T00:00:00Z' },
        'The receiver answered 500. Next attempt now.',
        true,
      ],
      [
        { success: false, summary: 'The receiver answered 500.', givenUp: true, attemptNumber: 12 },
        'The receiver answered 500. Given up after attempt 12.',
        true,
      ],
      [{ test: true, success: false, summary: 'Segment answered 401.' }, 'Test: Segment answered 401.', true],
    ] as const;
    for (const [fields, text, isBad] of cases)
      assert.deepEqual(stateOf({ ...DELIVERY, ...fields }), { text, isBad });
  });

  it('has the reasons of the network, or the start of its answer', () => {
    const reasons = [{ reason: 'No such name.', records: 3, example: { kind: 'event', id: ID } }];
    const given = { reasons, otherReasons: 2 };
    assert.deepEqual(readDetails(JSON.stringify(given)), given);
    for (const text of ['', 'Bad gateway', '{"error":"no"}', '[1]', 'null'])
      assert.deepEqual(readDetails(text), { text });
  });
});
