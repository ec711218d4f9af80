/** Intervals, the curve, and the sample of a day. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../../commands/traffic/random.ts';
import { type CountedInstalls, percentOf, type Verdict } from './count.ts';
import { curveOf } from './curve.ts';
import { intervalOf } from './interval.ts';
import { halve, isDrawn, MAX_SAMPLE } from './sample.ts';

const count = (verdict: Verdict, percent: number, installs: number): CountedInstalls => ({
  ...{ platform: 'IOS' as const, verdict, percent, installs },
});

/** The probability of this many hits or more, term by term. */
function atLeast(hits: number, of: number, chance: number): number {
  let [term, sum] = [(1 - chance) ** of, 0];
  for (let number = 0; number <= of; number++) {
    if (number >= hits) sum += term;
    term *= (((of - number) / (number + 1)) * chance) / (1 - chance);
  }
  return sum;
}

describe('accuracy', () => {
  it('a probability counts for every threshold that it reaches, and for no other', () => {
    for (const [probability, percent] of [
      ...[
        [0, 0],
        [0.4999, 0],
        [0.5, 50],
        [0.57, 57],
        [0.69999, 69],
        [0.7, 70],
        [0.9999, 99],
        [1, 99],
      ],
      [Number.NaN, 0],
    ] as const)
      assert.equal(percentOf(probability ?? 0), percent, String(probability));
  });

  it('an interval is the exact one, within 0 and 1, and null for nothing', () => {
    const rounded = (hits: number, of: number) => {
      const interval = intervalOf(hits, of);
      return interval && [interval.low, interval.high].map((each) => each.toFixed(4));
    };
    // Newcombe, Statistics in Medicine 17 (1998), pages 857 to 872, table I, method 5.
    assert.deepEqual(rounded(81, 263), ['0.2527', '0.3676']);
    assert.deepEqual(rounded(15, 148), ['0.0578', '0.1617']);
    assert.deepEqual(rounded(0, 20), ['0.0000', '0.1684']);
    assert.deepEqual(rounded(1, 29), ['0.0009', '0.1776']);
    assert.deepEqual(rounded(20, 20), ['0.8316', '1.0000']);
    assert.equal(intervalOf(0, 0), null);
    // The number of hits leaves 2.5 % beyond it at either end.
    for (const [hits, of] of [
      [3, 17],
      [38, 40],
      [1, 1],
    ] as const) {
      const { low, high } = intervalOf(hits, of) ?? assert.fail();
      assert.ok(Math.abs(atLeast(hits, of, low) - 0.025) < 1e-9);
      if (hits < of) assert.ok(Math.abs(1 - atLeast(hits + 1, of, high) - 0.025) < 1e-9);
    }
  });

  it('each threshold tells right, wrong, none and what it would change', () => {
    const counts = [
      ...[count('right', 99, 90), count('right', 65, 6), count('wrong', 65, 2), count('wrong', 80, 2)],
      ...[
        count('none', 0, 50),
        count('compared', 0, 200),
        count('compared', 60, 10),
        count('compared', 65, 30),
      ],
      ...[count('compared', 90, 70), count('skipped', 0, 4)],
      { ...count('right', 99, 1_000), platform: 'ANDROID' as const },
    ];
    const curve = curveOf('IOS', counts, 0.7);
    const at = (threshold: number) => curve.thresholds.find((point) => point.threshold === threshold);
    assert.deepEqual([curve.sampled, curve.skipped, curve.compared], [150, 4, 310]);
    assert.equal(curve.thresholds.length, 50);
    const { right, wrong, none, matched, precision, coverage } = at(0.65) ?? assert.fail();
    assert.deepEqual([right, wrong, none, matched], [96, 4, 50, 100]);
    assert.deepEqual([precision?.value, coverage?.value], [0.96, 100 / 150]);
    assert.deepEqual([at(0.66)?.right, at(0.66)?.wrong, at(0.66)?.none], [90, 2, 58]);
    assert.deepEqual(at(0.7)?.change, { installs: 0, wrong: null, wrongByConfidence: 0 });
    assert.deepEqual([at(0.65)?.change.installs, at(0.65)?.change.wrong?.value], [30, 30 * 0.25]);
    assert.deepEqual([at(0.95)?.change.installs, at(0.95)?.change.wrong?.value], [-70, 70]);
    assert.equal(at(0.9)?.change.installs, 0);
    // 30 installs from 0.65 to 0.66.
    assert.equal(at(0.65)?.change.wrongByConfidence.toFixed(2), (30 * 0.345).toFixed(2));
  });

  it('few certain installs are not enough to choose by', () => {
    const enough = (right: number, wrong: number) =>
      curveOf('IOS', [count('right', 90, right), count('wrong', 90, wrong)], 0.7).enough;
    const cases = [
      ...[enough(0, 0), enough(35, 0), enough(36, 0), enough(60, 2), enough(100, 3)],
      ...[enough(90, 10), enough(160, 18)],
    ];
    assert.deepEqual(cases, [false, false, true, false, true, false, true]);
  });

  it('the sample of a day is bounded, and early installs are as likely in it as late ones', () => {
    const random = new Random(5);
    const next = () => random.next();
    const [byHour, hours, perHour, days] = [new Map<number, number>(), 24, 400, 40];
    for (let day = 0; day < days; day++) {
      let [counts, halvings]: [CountedInstalls[], number] = [[], 0];
      for (let hour = 0; hour < hours; hour++) {
        // The percent stands for the hour.
        const drawn = Array.from({ length: perHour }, next).filter((draw) => isDrawn(draw, halvings)).length;
        const halved = halve([...counts, count('right', hour, drawn)], next);
        assert.ok(halved.counts.reduce((sum, { installs }) => sum + installs, 0) <= MAX_SAMPLE);
        counts = halved.counts;
        halvings += halved.halvings;
      }
      assert.equal(halvings, 3);
      for (const { percent, installs } of counts)
        byHour.set(percent, (byHour.get(percent) ?? 0) + installs / days);
    }
    // 400 installs an hour, of which one in eight is kept; 4.5 standard deviations of the mean of 40 days.
    for (const [hour, mean] of byHour)
      assert.ok(Math.abs(mean - 50) < 4.5 * Math.sqrt(43.75 / 40), `${hour}: ${mean}`);
    assert.equal(byHour.size, hours);
  });
});
