import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptResult } from '../attempts/send.ts';
import { Rests } from './rests.ts';

const FAILED: AttemptResult = {
  success: false,
  isInterrupted: false,
  httpStatus: 0,
  responseBody: '',
  errorMessage: 'Connection refused.',
  pauseMs: null,
  durationMs: 1,
};
const ACCEPTED: AttemptResult = { ...FAILED, success: true, httpStatus: 200, outcome: {} };

test('after three failures in a row a destination rests, twice as long each time and at most 10 s', () => {
  const rests = new Rests();
  const at = (nowMs: number) => rests.after('one', FAILED, nowMs);
  assert.deepEqual([at(0), at(0), at(0)], [null, null, 1_000]);
  assert.deepEqual(
    [at(1_000), at(3_000), at(7_000), at(15_000), at(25_000)],
    [2_000, 4_000, 8_000, 10_000, 10_000],
  );
  assert.equal(rests.after('other', FAILED, 25_000), null);
});

test('failures of calls that were in flight when a rest began do not prolong it', () => {
  const rests = new Rests();
  for (let n = 0; n < 3; n++) rests.after('one', FAILED, 0);
  assert.equal(rests.after('one', FAILED, 400), 600);
  assert.equal(rests.after('one', FAILED, 1_000), 2_000);
});

test('an answered call ends the count of failures, and single failures hold nothing', () => {
  const rests = new Rests();
  for (let n = 0; n < 10; n++) {
    assert.equal(rests.after('one', FAILED, n), null);
    assert.equal(rests.after('one', FAILED, n), null);
    assert.equal(rests.after('one', ACCEPTED, n), null);
  }
});

test('what says nothing of the destination counts neither way', () => {
  const rests = new Rests();
  const nothingToSend = { ...ACCEPTED, httpStatus: 0 };
  const asked = { ...FAILED, httpStatus: 429, pauseMs: 5_000 };
  for (const result of [{ ...FAILED, isInterrupted: true }, asked, nothingToSend])
    for (let n = 0; n < 3; n++) assert.equal(rests.after('one', result, 0), null);
  for (const result of [FAILED, nothingToSend, FAILED]) assert.equal(rests.after('one', result, 0), null);
  assert.equal(rests.after('one', FAILED, 0), 1_000);
});
