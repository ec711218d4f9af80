import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isoTime, SECOND_MS } from '../lib/clock.ts';
import type { RecordKey } from '../records/index.ts';
import { RecentKeys } from './recent-keys.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00.000Z');

function keyAt(secondsAgo: number, id = `id-${secondsAgo}`, table: RecordKey['table'] = 'clicks'): RecordKey {
  const at = isoTime(NOW_MS - secondsAgo * SECOND_MS);
  return { table, id, at, sandbox: 0, link_id: null, campaign_id: null };
}

const idsAfter = (recent: RecentKeys, number: number) => [...recent.after(number)].map(({ id }) => id);

describe('the recent keys of an app', () => {
  it('are numbered once each, oldest first, however often they are read', () => {
    const recent = new RecentKeys();
    recent.add([keyAt(1), keyAt(3)], NOW_MS);
    recent.add([keyAt(3), keyAt(2), keyAt(1)], NOW_MS);
    assert.deepEqual(idsAfter(recent, 0), ['id-3', 'id-1', 'id-2']);
    assert.deepEqual([recent.first, recent.last], [1, 3]);
    assert.deepEqual(idsAfter(recent, 2), ['id-2']);
    assert.deepEqual(idsAfter(recent, 3), []);
  });

  it('of one time are in the order of their IDs, and one ID of two tables is two records', () => {
    const recent = new RecentKeys();
    recent.add([keyAt(1, 'b'), keyAt(1, 'a'), keyAt(1, 'a', 'installs')], NOW_MS);
    const ids = idsAfter(recent, 0);
    assert.deepEqual([ids.length, ids.at(-1)], [3, 'b']);
  });

  it('are forgotten after 70 seconds, and never read again', () => {
    const recent = new RecentKeys();
    recent.add([keyAt(60), keyAt(10)], NOW_MS);
    const laterMs = NOW_MS + 20 * SECOND_MS;
    assert.deepEqual(
      recent.add([], laterMs).map(({ id }) => id),
      ['id-60'],
    );
    assert.deepEqual([recent.first, recent.last], [2, 2]);
    const wanted = isoTime(NOW_MS - 90 * SECOND_MS);
    assert.equal(recent.readableAfter(wanted, laterMs), keyAt(60).at);
  });

  it('are bounded in number: the oldest go first', () => {
    const recent = new RecentKeys(2);
    const forgotten = recent.add([keyAt(3), keyAt(2), keyAt(1)], NOW_MS);
    assert.deepEqual(
      forgotten.map(({ id }) => id),
      ['id-3'],
    );
    assert.deepEqual(idsAfter(recent, 0), ['id-2', 'id-1']);
  });

  it('after the clock was set back hide no new record', () => {
    const recent = new RecentKeys(1);
    recent.add([keyAt(2), keyAt(1)], NOW_MS);
    const setBackMs = NOW_MS - 60 * SECOND_MS;
    const wanted = isoTime(setBackMs - 10 * SECOND_MS);
    assert.equal(recent.readableAfter(wanted, setBackMs), wanted);
  });

  it('since a time begin with the first that was recorded then or later', () => {
    const recent = new RecentKeys();
    recent.add([keyAt(3), keyAt(2), keyAt(1)], NOW_MS);
    assert.equal(recent.firstSince(keyAt(2).at)?.id, 'id-2');
    assert.equal(recent.firstSince(keyAt(0).at), undefined);
  });
});
