import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Conditions } from './conditions.ts';

const SECOND_MS = 1_000;

function start() {
  let nowMs = 0;
  const lines: [text: string, added: object][] = [];
  const conditions = new Conditions(() => nowMs);
  const line = (text: string) => ({
    text,
    write: (added: object, shown: string) => void lines.push([shown, added]),
  });
  return {
    lines,
    note: (key: string) => conditions.note(key, 'coarse', line(`${key} is away`)),
    end: (key: string) => conditions.end(key, line(`${key} is back`)),
    pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        nowMs += SECOND_MS;
        conditions.check();
      }
    },
  };
}

describe('a condition', () => {
  it('is one line when it begins, a count each minute, and a line with both when it is over', () => {
    const { lines, note, end, pass } = start();
    for (let second = 0; second < 90; second++) {
      for (let times = 0; times < 100; times++) note('disk');
      pass(1);
    }
    end('disk');
    pass(10);
    assert.deepEqual(lines, [
      ['disk is away', {}],
      ['Still: disk is away', { count: 6_000, since: 60 }],
      ['disk is back', { count: 9_000, seconds: 89 }],
    ]);
  });

  it('that comes again soon after its end is over three seconds after it was last seen, too', () => {
    const { lines, note, end, pass } = start();
    for (let outage = 0; outage < 3; outage++) {
      for (let times = 0; times < 5; times++) {
        note('disk');
        pass(1);
      }
      end('disk');
      pass(2);
      assert.deepEqual(lines.at(-1), ['disk is back', { count: 5, seconds: 4 }]);
      pass(10);
    }
    assert.equal(lines.length, 6);
  });

  it('has no count without a new occurrence', () => {
    const { lines, note, end, pass } = start();
    for (let outage = 0; outage < 6; outage++) {
      note('disk');
      note('disk');
      end('disk');
      pass(5);
    }
    pass(300);
    assert.deepEqual(
      lines.filter(([text]) => text.startsWith('Still')),
      [],
    );
  });

  it('is over a minute after it was last seen, if nobody tells its end', () => {
    const { lines, note, pass } = start();
    note('disk');
    note('disk');
    pass(59);
    assert.equal(lines.length, 1);
    pass(1);
    assert.deepEqual(lines[1], ['Over, not seen for a minute: disk is away', { count: 2, seconds: 0 }]);
  });

  it('has no second line if it was seen once and has no end', () => {
    const { lines, note, pass } = start();
    note('disk');
    pass(300);
    note('disk');
    assert.deepEqual(
      lines.map(([text]) => text),
      ['disk is away', 'disk is away'],
    );
  });

  it('that comes and goes every second is at most three lines a minute', () => {
    const { lines, note, end, pass } = start();
    for (let second = 0; second < 600; second++) {
      note('disk');
      end('disk');
      pass(second % 10 === 0 ? 5 : 1);
    }
    assert.ok(lines.length <= 3 * 14, `${lines.length} lines`);
  });

  it('is forgotten once it is over, so that an end told again is no line', () => {
    const { lines, note, end, pass } = start();
    end('disk');
    note('disk');
    end('disk');
    pass(5);
    end('disk');
    pass(120);
    end('disk');
    assert.deepEqual(
      lines.map(([text]) => text),
      ['disk is away', 'disk is back'],
    );
  });

  it('of which there are thousands is counted by its coarse name', () => {
    const { lines, note } = start();
    for (let count = 0; count < 5_000; count++) note(`disk ${count}`);
    assert.equal(lines.length, 201);
  });
});
