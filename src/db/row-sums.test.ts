import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planCounts, RowSums } from './row-sums.ts';
import { toRowText } from './row-text.ts';
import type { RowCounts } from './store.ts';

const COLUMNS = ['id', 'platform', 'campaign', 'note', 'at', 'rest'];

function listsOf(key: RowCounts['key'], rows: readonly (readonly (string | number | null)[])[]) {
  const counts = { table: 'pending_counts', by: 'id', list: 'facts', key } as const;
  const sums = new RowSums(planCounts(counts, COLUMNS));
  for (const row of rows) sums.add(toRowText(row));
  return [...sums.lists()].map(([by, list]) => [by, JSON.parse(list)]);
}

function countsOf(key: RowCounts['key'], rows: readonly (readonly (string | number | null)[])[]) {
  const [[, list] = []] = listsOf(
    key,
    rows.map(([, ...rest]) => ['1', ...rest]),
  );
  return list;
}

describe('RowSums', () => {
  it('groups rows by the key alone, with values in the order of the key', () => {
    const key = [{ is: 'click' }, { minuteOf: 'at' }, { column: 'platform' }];
    const rows = [
      ['1', 'IOS', 'a', null, '2026-11-22T23:59:59.999Z', 'x'],
      ['2', 'IOS', 'b', 'n', '2026-11-22T23:59:00.000Z', 'y'],
      ['3', 'IOS', 'b', 'n', '2026-11-23T00:00:00.000Z', 'y'],
      ['4', 'ANDROID', 'a', null, '2026-11-22T12:00:00.000Z', null],
    ];
    assert.deepEqual(countsOf(key, rows), [
      ['click', '2026-11-22T23:59', 'IOS', 2],
      ['click', '2026-11-23T00:00', 'IOS', 1],
      ['click', '2026-11-22T12:00', 'ANDROID', 1],
    ]);
  });

  it('writes a list of at most 500 counts for each value of the column in common', () => {
    const rows = Array.from({ length: 700 }, (_, n) => [n === 0 ? 'b' : 'a', String(n), '', '', '', '']);
    const lists = listsOf([{ column: 'platform' }], rows);
    assert.deepEqual(
      lists.map(([by, list]) => [by, list.length]),
      [
        ['b', 1],
        ['a', 500],
        ['a', 199],
      ],
    );
  });

  it('adds null and empty text to one count', () => {
    const key = [{ column: 'campaign', orEmpty: true }] as const;
    const rows = [null, '', 'x', null].map((campaign) => ['1', 'IOS', campaign, '', '', '']);
    assert.deepEqual(countsOf(key, rows), [
      ['', 3],
      ['x', 1],
    ]);
  });

  it('keeps keys with tabs and backslashes apart', () => {
    const key = [{ column: 'platform' }, { column: 'campaign' }];
    const rows = [
      ['1', 'a', 'b\tc', null, '', ''],
      ['1', 'a\tb', 'c', null, '', ''],
      ['1', 'a', 'b\\tc', null, '', ''],
    ];
    assert.deepEqual(countsOf(key, rows), [
      ['a', 'b\tc', 1],
      ['a\tb', 'c', 1],
      ['a', 'b\\tc', 1],
    ]);
  });

  it('accepts the last field as a key, and a column that is used twice', () => {
    const key = [{ column: 'rest' }, { minuteOf: 'at' }, { column: 'at' }];
    const rows = [
      ['1', '', '', '', '2026-11-22T01:00:01', 'z'],
      ['2', '', '', '', '2026-11-22T01:00:02', 'z'],
    ];
    assert.deepEqual(countsOf(key, rows), [
      ['z', '2026-11-22T01:00', '2026-11-22T01:00:01', 1],
      ['z', '2026-11-22T01:00', '2026-11-22T01:00:02', 1],
    ]);
  });
});
