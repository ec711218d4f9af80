import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FirstLines } from './first-lines.ts';

describe('the first lines of addresses', () => {
  it('are found again among many, with whether the content is the same', () => {
    const lines = new FirstLines();
    for (let line = 1; line <= 20_000; line++) assert.equal(lines.note(`path/${line}`, 'a', line), null);
    for (const line of [1, 2_048, 2_049, 20_000]) {
      assert.deepEqual(lines.note(`path/${line}`, 'a', 30_000), { line, isSame: true });
      assert.deepEqual(lines.note(`path/${line}`, 'b', 30_000), { line, isSame: false });
    }
    assert.equal(lines.note('path/0', 'a', 30_000), null);
  });
});
