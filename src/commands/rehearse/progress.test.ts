import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeProgress } from './progress.ts';

it('the progress of a rehearsal has counts, and the time that is left by the pace of this run', () => {
  const after = (done: number, before: number, seconds: number) =>
    describeProgress({ done, total: 2_000, before, unequal: 3, seconds });
  assert.equal(after(500, 0, 60), '[#####---------------] 25 %, 500 of 2,000 links, 3 not equal, 3 min left');
  assert.match(after(1_990, 1_000, 990), /1,990 of 2,000 links, 3 not equal, 10 s left$/);
  assert.match(after(1, 0, 12), /, 7 h left$/);
  assert.match(after(1_000, 1_000, 5), /, 3 not equal$/);
});
