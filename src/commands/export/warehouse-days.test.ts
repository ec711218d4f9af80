import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credible, type DaysQuestion, daysToWrite } from './warehouse-days.ts';

const state = (day: string, completeBefore: string) => ({
  exportedAt: `${day}T02:15:00.000Z`,
  completeBefore,
});
const QUESTION: DaysQuestion = {
  oldest: '2026-11-01',
  state: state('2026-11-25', '2026-11-23'),
  fromDay: null,
  rewriteDays: 3,
  nowMs: Date.parse('2026-11-26T02:15:00Z'),
  erased: new Set(),
  hasFile: () => true,
};
const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `2026-11-${String(first + index).padStart(2, '0')}`);

const CASES: readonly (readonly [title: string, Partial<DaysQuestion>, readonly string[]])[] = [
  ['from where the last export ended', {}, between(23, 26)],
  ['the first day of all records, while it may still change', { oldest: '2026-11-26' }, between(26, 26)],
  [
    'the first day of all records, when it was exported before its end, days later',
    { oldest: '2026-11-20', state: state('2026-11-20', '2026-11-18') },
    between(20, 26),
  ],
  [
    'not the oldest day that may be dropped in part',
    { oldest: '2026-11-23', state: state('2026-11-26', '2026-11-24'), fromDay: '2026-11-01' },
    between(24, 26),
  ],
  [
    'an oldest day with an erasure',
    { oldest: '2026-11-20', erased: new Set(['2026-11-20', '2026-11-19']) },
    ['2026-11-20', ...between(23, 26)],
  ],
  ['what came since the last export, although --from is later', { fromDay: '2026-11-26' }, between(23, 26)],
  ['days before the last export, with an earlier --from', { fromDay: '2026-11-20' }, between(20, 26)],
  ['no earlier day than --from in a new folder', { state: null, fromDay: '2026-11-24' }, between(24, 26)],
  ['more days with a larger --rewrite-days', { rewriteDays: 6 }, between(21, 26)],
];

describe('the days that an export into a warehouse writes', () => {
  for (const [title, given, expected] of CASES)
    it(title, () => assert.deepEqual(daysToWrite({ ...QUESTION, ...given }), expected));

  it('are all of them after an export by a clock that was ahead', () => {
    const ahead = credible(state('2028-01-01', '2027-12-30'), QUESTION.nowMs);
    assert.deepEqual(daysToWrite({ ...QUESTION, state: ahead, hasFile: () => false }), between(1, 26));
    assert.equal(credible(QUESTION.state, QUESTION.nowMs), QUESTION.state);
  });
});
