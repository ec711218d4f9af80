import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import { advance, CONFIRM_AFTER_MS, type KnownCheck, stateOf } from './advance.ts';
import { type Outcome, ok, problem, unknown } from './host.ts';

const OK = ok('Fine.');
const BAD = problem('Bad.', 'Mend it.');
const SLOW = problem('Old copy.', 'Wait.', 2 * DAY_MS);
const AWAY = unknown('Nobody answered.');

/** @returns the state and the change after each look, minutes after the first. */
function after(looks: readonly (readonly [minutes: number, outcome: Outcome])[]) {
  let known: KnownCheck | undefined;
  return looks.map(([minutes, outcome]) => {
    const step = advance(known, { check: 'dns', outcome, nowMs: minutes * MINUTE_MS });
    known = step.next;
    return `${step.next.state} ${step.change ?? '-'}`;
  });
}

const DAY = DAY_MS / MINUTE_MS;
const CASES: readonly (readonly [string, Parameters<typeof after>[0], readonly string[]])[] = [
  [
    'one failed look tells nobody',
    [
      [0, OK],
      [1, BAD],
      [2, OK],
    ],
    ['ok -', 'problem -', 'ok -'],
  ],
  [
    'a second look five minutes later tells the problem, once, and its end once',
    [
      [0, BAD],
      [5, BAD],
      [6, BAD],
      [7, OK],
      [8, OK],
    ],
    ['problem -', 'problem problem', 'problem -', 'ok recovered', 'ok -'],
  ],
  [
    'looks by impatient people confirm nothing',
    [
      [0, BAD],
      [1, BAD],
      [4, BAD],
    ],
    ['problem -', 'problem -', 'problem -'],
  ],
  [
    'a look that finds out nothing neither ends a problem nor tells it again',
    [
      [0, BAD],
      [5, BAD],
      [6, AWAY],
      [7, BAD],
      [8, AWAY],
      [9, OK],
    ],
    ['problem -', 'problem problem', 'unknown -', 'problem -', 'unknown -', 'ok recovered'],
  ],
  [
    'a network that is away is never a problem',
    [
      [0, OK],
      [5, AWAY],
      [10, AWAY],
      [DAY, AWAY],
      [DAY + 1, OK],
    ],
    ['ok -', 'unknown -', 'unknown -', 'unknown -', 'ok -'],
  ],
  [
    'an old copy is a problem once it has lasted',
    [
      [0, SLOW],
      [DAY, SLOW],
      [2 * DAY, SLOW],
      [3 * DAY, OK],
    ],
    ['unknown -', 'unknown -', 'problem problem', 'ok recovered'],
  ],
];

describe('the state of a check', () => {
  for (const [title, looks, expected] of CASES) it(title, () => assert.deepEqual(after(looks), expected));

  it('is told as since the look that found the problem first', () => {
    const first = advance(undefined, { check: 'dns', outcome: BAD, nowMs: 0 });
    const second = advance(first.next, { check: 'dns', outcome: BAD, nowMs: CONFIRM_AFTER_MS });
    assert.equal(second.next.since, first.next.since);
    assert.equal(second.next.suspectedAt, first.next.since);
  });

  it('of a host is a problem if one check has one, and in order only if all are', () => {
    const of = (...states: KnownCheck['state'][]) => stateOf(states.map((state) => ({ state })));
    assert.deepEqual(
      [of('ok', 'problem', 'unknown'), of('ok', 'ok'), of('ok', 'unknown'), of()],
      ['problem', 'ok', 'unknown', 'unknown'],
    );
  });
});
