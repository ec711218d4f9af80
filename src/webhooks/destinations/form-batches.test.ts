import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { WebhookRow } from '../webhook.ts';
import { type FeedRecord, readFeedRow, writeFeedRecords } from './feed.ts';
import { takeRecords } from './form-batches.ts';

const choice = { events: [], eventNames: [], isSandboxOnly: false };
const takersOf = (count: number, maxItems: number) =>
  Array.from({ length: count }, () => ({
    row: {} as WebhookRow,
    choice,
    maxItems,
    taken: [] as FeedRecord[],
  }));
const record = () => ({ kind: 'event' as const, id: randomUUID(), name: 'level', isSandbox: false });

describe('what a transaction takes from the feed', () => {
  for (const [count, maxItems, atOnce] of [
    [20, 1, 25],
    [1, 1, 500],
    [20, 100, 2_000],
  ] as const)
    it(`is ${atOnce} records with ${count} destinations of ${maxItems} records a call, and each in the end`, () => {
      const all = Array.from({ length: 7 }, () => Array.from({ length: 333 }, record));
      let rows = all.map((records, id) => ({ id: String(id), records: writeFeedRecords(records) }));
      const ids: string[] = [];
      for (let hasMore = true; hasMore; ) {
        const takers = takersOf(count, maxItems);
        const taken = takeRecords(rows, takers);
        const [first = []] = takers.map((each) => each.taken.map(({ id }) => id));
        for (const each of takers) assert.equal(each.taken.length, first.length);
        assert.equal(first.length, Math.min(atOnce, rows.flatMap(readFeedRow).length));
        ids.push(...first);
        const left = rows.filter(({ id }) => !taken.emptied.includes(id));
        rows = left.map((row) => (row.id === taken.left?.id ? taken.left : row));
        hasMore = taken.hasMore;
      }
      assert.deepEqual(rows, []);
      assert.deepEqual(
        ids,
        all.flat().map(({ id }) => id),
      );
    });
});
