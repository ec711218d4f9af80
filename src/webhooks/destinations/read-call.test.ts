import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LRUCache } from 'lru-cache';
import type { WebhookRow } from '../webhook.ts';
import { toBatch } from './batch.ts';
import { type Destination, toDestination } from './destination.ts';
import { readCall } from './read-call.ts';
import { Rests } from './rests.ts';

const ROW = {
  ...{ app_id: 'app', id: 'one', kind: 'destination', sandbox_only: 0, events: '[]', event_names: null },
  ...{ mapping: null, consent: 'granted' },
} as unknown as WebhookRow;
const REF = { kind: 'event', id: 'record' } as const;

/** How long a destination rests after each of so many equal answers to calls of one record. */
function restsAfter(type: string, answer: { status: number; body: object }, calls: number) {
  const rests = new Rests();
  const refusals = new LRUCache<string, number>({ max: 10 });
  const destination = toDestination({ ...ROW, type }) as Destination;
  const collected = { kept: [], call: null, sent: [{ ref: REF, item: {}, bytes: 2 }], rest: [] };
  const response = { status: answer.status, body: JSON.stringify(answer.body) };
  return Array.from({ length: calls }, () => {
    const message = toBatch({ ids: { next: () => 'batch' } }, ROW, [REF]);
    const reading = readCall({ refusals }, destination, { collected, message, response });
    const none = { isInterrupted: false, responseBody: '', errorMessage: null, pauseMs: null, durationMs: 1 };
    return rests.after(ROW.id, { ...none, httpStatus: answer.status, ...reading }, 0);
  });
}

test('a destination that takes no call rests, also one that answers with the status of refused records', () => {
  const body = { error: { code: 190, message: 'The access token has expired.' } };
  assert.deepEqual(restsAfter('meta', { status: 400, body }, 3), [null, null, 1_000]);
  assert.deepEqual(restsAfter('tiktok', { status: 200, body: { code: 40_105 } }, 3), [null, null, 1_000]);
});

test('a destination that refuses records does not rest, also one that answers with the status of success', () => {
  for (const [type, status, body] of [
    ['meta', 400, { error: { code: 100, message: 'Invalid parameter.' } }],
    ['tiktok', 200, { code: 40_002, message: 'Invalid event.' }],
    ['segment', 400, {}],
  ] as const)
    assert.deepEqual(new Set(restsAfter(type, { status, body }, 60)), new Set([null]), type);
});
