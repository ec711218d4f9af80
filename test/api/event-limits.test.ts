import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as client from '../../packages/core/src/limits.ts';
import * as service from '../../src/events/limits.ts';
import { Revenue } from '../../src/stats/index.ts';

describe('the bounds of events', () => {
  it('in @throughline/core are those of the service', () => {
    const { MAX_BATCH_EVENTS, MAX_BATCH_BYTES, MAX_BATCH_FIELDS, MAX_BATCH_COMMAS } = service;
    const { MAX_PROPERTIES_BYTES, MAX_DEPTH } = service;
    const numbers = { MAX_BATCH_EVENTS, MAX_BATCH_BYTES, MAX_BATCH_FIELDS, MAX_BATCH_COMMAS };
    const {
      AMOUNT: _amount,
      CURRENCY: _currency,
      MAX_CHARACTERS: _,
      MAX_URL_CHARACTERS: _url,
      ...own
    } = client;
    assert.deepEqual(own, { ...numbers, MAX_PROPERTIES_BYTES, MAX_DEPTH });
    for (const value of [
      service.MAX_EVENT_NAME_CHARACTERS,
      service.MAX_USER_ID_CHARACTERS,
      service.MAX_TRANSACTION_ID_CHARACTERS,
    ])
      assert.equal(client.MAX_CHARACTERS, value);
    const { amount, currency } = Revenue.properties;
    assert.equal(client.AMOUNT.source, new RegExp((amount as { pattern?: string }).pattern ?? '').source);
    assert.equal(client.CURRENCY.source, new RegExp((currency as { pattern?: string }).pattern ?? '').source);
  });
});
