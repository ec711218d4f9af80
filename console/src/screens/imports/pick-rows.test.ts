import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isEnough, NONE_PICKED, pickRows } from './pick-rows.ts';

const rowOf = (line: number, outcome: string) => ({
  cells: [String(line), outcome, `go.example.com/${line}`, `https://new.example/${line}`, 'Reason', ''],
});

it('of a report the first conflicts, failures and other rows are picked, until there are enough', () => {
  const wanted = { wrong: 2, good: 1 };
  const first = pickRows(
    NONE_PICKED,
    [rowOf(2, 'failed'), rowOf(3, 'created'), rowOf(4, 'unchanged')],
    wanted,
  );
  assert.deepEqual(
    first.wrong.map(({ line, reason }) => [line, reason]),
    [['2', 'Reason']],
  );
  assert.deepEqual(
    first.good.map(({ shortUrl }) => shortUrl),
    ['https://new.example/3'],
  );
  assert.equal(isEnough(first, wanted), false);
  const second = pickRows(first, [rowOf(5, 'conflict'), rowOf(6, 'failed')], wanted);
  assert.deepEqual(
    second.wrong.map(({ outcome }) => outcome),
    ['failed', 'conflict'],
  );
  assert.equal(second.seen, 5);
  assert.equal(isEnough(second, wanted), true);
  assert.equal(isEnough(NONE_PICKED, { wrong: 0, good: 0 }), true);
});
