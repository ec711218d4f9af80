import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Counts, countOf, isEmpty, noCounts } from './add-counts.ts';
import { NONE, OTHER } from './dimensions.ts';
import { firstGroups, toGroups } from './groups.ts';

const clicks = (n: number): Counts => ({ ...noCounts(), integers: [n] });
const keysOf = (groups: readonly { key: string | null; counts: Counts }[]) =>
  groups.map(({ key, counts }) => [key, countOf(counts, 'clicks')]);

describe('groups', () => {
  it('have the values of a dimension, and null for what has none', () => {
    const sums = new Map([
      ['=DE', clicks(3)],
      ['=FR', clicks(1)],
    ]);
    const groups = toGroups('country', sums, { totals: clicks(6), credit: 'install' });
    assert.deepEqual(keysOf(groups), [
      ['DE', 3],
      ['FR', 1],
      [null, 2],
    ]);
  });

  it('leave out what only other values have, empty values, and null where nothing is left', () => {
    const sums = new Map([
      ['=a', clicks(3)],
      ['=b', clicks(0)],
      [OTHER, clicks(4)],
    ]);
    assert.deepEqual(keysOf(toGroups('referrer', sums, { totals: clicks(7), credit: 'install' })), [
      ['a', 3],
    ]);
  });

  it('of links take records without one from their cells, since not all links are read', () => {
    const sums = new Map([
      ['=a', clicks(3)],
      [NONE, clicks(1)],
    ]);
    const groups = toGroups('link', sums, { totals: clicks(100), credit: 'install' });
    assert.deepEqual(keysOf(groups), [
      ['a', 3],
      [null, 1],
    ]);
  });

  it('are the first by a metric, equal ones by key and null last, and other is the rest', () => {
    const all = [null, 'b', 'c', 'a'].map((key) => ({ key, counts: clicks(key === 'c' ? 5 : 2) }));
    const first = (limit: number) =>
      firstGroups('campaign', all, { totals: clicks(11), sort: 'clicks', limit });
    assert.deepEqual(keysOf(first(100).groups), [
      ['c', 5],
      ['a', 2],
      ['b', 2],
      [null, 2],
    ]);
    assert.ok(isEmpty(first(100).other));
    assert.deepEqual(keysOf(first(2).groups), [
      ['c', 5],
      ['a', 2],
    ]);
    assert.equal(countOf(first(2).other, 'clicks'), 4);
  });
});
