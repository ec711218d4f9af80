import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../auth/index.ts';
import { divide } from './read-cells.ts';
import { sandboxOf } from './read-stats.ts';

const ms = (text: string) => Date.parse(`2026-01-${text}Z`);
const partsOf = (from: string, to: string) => divide({ fromMs: ms(from), toMs: ms(to) });

describe('a span is divided into', () => {
  it('whole UTC days alone, from midnight to midnight', () => {
    assert.deepEqual(partsOf('01T00:00', '03T00:00'), {
      whole: { fromDay: '2026-01-01', toDay: '2026-01-02' },
      parts: [],
    });
  });

  it('whole days and what is left at both ends', () => {
    assert.deepEqual(partsOf('01T23:00', '03T05:30'), {
      whole: { fromDay: '2026-01-02', toDay: '2026-01-02' },
      parts: [
        { fromMs: ms('01T23:00'), toMs: ms('02T00:00') },
        { fromMs: ms('03T00:00'), toMs: ms('03T05:30') },
      ],
    });
  });

  it('one part if it has no whole day', () => {
    const span = { fromMs: ms('01T23:00'), toMs: ms('02T23:00') };
    assert.deepEqual(divide(span), { whole: null, parts: [span] });
  });
});

describe('the sandbox filter', () => {
  it('of a test key is the sandbox, of a live key what is asked for', () => {
    const [live, test] = [{ mode: 'live' }, { mode: 'test' }] as Actor[];
    assert.deepEqual(
      [undefined, false, true].map((sandbox) => sandboxOf(live as Actor, sandbox)),
      [0, 0, 1],
    );
    assert.deepEqual(
      [undefined, true].map((sandbox) => sandboxOf(test as Actor, sandbox)),
      [1, 1],
    );
    assert.throws(() => sandboxOf(test as Actor, false), /sandbox must be true with a test key/);
  });
});
