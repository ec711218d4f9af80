import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUnavailable } from './faults.ts';

describe('faults of the database', () => {
  it('a transaction that was ended for the sake of others may be tried again', () => {
    for (const code of ['40P01', '40001']) assert.equal(isUnavailable({ code }), true, code);
    for (const code of ['42P01', '23505']) assert.equal(isUnavailable({ code }), false, code);
  });
});
