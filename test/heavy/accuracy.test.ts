/**
 * The measure of accuracy against the hidden truth of synthetic people, in 100 runs of some days each: a sample of half the
 * certain installs of a run against the truth of them all, and all those of a run against the truth of all runs.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { shadowClick, shadowMatch } from '../../src/attribution/shadow/shadow-match.ts';
import { Backtest } from '../../src/commands/backtest/replay.ts';
import { PRESETS } from '../../src/commands/traffic/presets.ts';
import { Random } from '../../src/commands/traffic/random.ts';
import type { Click, Install } from '../../src/commands/traffic/touches.ts';
import { buildRun } from '../../src/commands/traffic/traffic.ts';
import type { CountedInstalls, Finding } from '../../src/stats/accuracy/count.ts';
import { curveOf } from '../../src/stats/accuracy/curve.ts';
import type { Interval } from '../../src/stats/accuracy/interval.ts';
import { isDrawn } from '../../src/stats/accuracy/sample.ts';

const RUNS = 100;
const PEOPLE = 6_000;
const PLATFORMS = ['ANDROID', 'IOS'] as const;
const THRESHOLDS = [0.5, 0.7, 0.9];

/** A certain install: what the service finds, and whether it is so. */
interface Measured {
  readonly platform: 'ANDROID' | 'IOS';
  readonly finding: Finding;
  readonly probability: number;
  /** The named click is by the person of the install, on the link that brought it. */
  readonly isTrue: boolean;
}

function measure(preset: string, seed: number): Measured[] {
  const settings = PRESETS[preset];
  assert.ok(settings !== undefined);
  const { touches, authors } = buildRun({ ...settings, people: PEOPLE }, seed);
  const clicks = new Map(touches.flatMap((touch) => (touch.type === 'click' ? [[touch.id, touch]] : [])));
  const measured: Measured[] = [];
  let install: Install | undefined;
  const backtest = new Backtest(0.7, ({ method, click }, evidence) => {
    if (click === null || (method !== 'INSTALL_REFERRER' && method !== 'CLICK_ID')) return;
    const named = shadowClick(evidence, click);
    const person = (id = '') => authors.get(id)?.person;
    const isTrue =
      person(named?.clickId) === person(install?.id) &&
      clicks.get(named?.clickId ?? '')?.campaignId === clicks.get(click.id)?.campaignId;
    const probability = named?.probability ?? 0;
    const { platform } = evidence.device;
    measured.push({ platform, finding: shadowMatch(evidence, click), probability, isTrue });
  });
  for (const touch of touches as (Click | Install)[]) {
    if (touch.type === 'install') install = touch;
    backtest.take(touch);
  }
  return measured;
}

/** As the API reports it. */
function precisionOf(measured: readonly Measured[], platform: 'ANDROID' | 'IOS', threshold: number) {
  const counts: CountedInstalls[] = measured.map((each) => ({ ...each.finding, ...each, installs: 1 }));
  return curveOf(platform, counts, threshold).thresholds.find((point) => point.threshold === threshold)
    ?.precision;
}

function truthOf(measured: readonly Measured[], platform: 'ANDROID' | 'IOS', threshold: number): number {
  const named = measured.filter((each) => each.platform === platform && each.probability >= threshold);
  return named.filter(({ isTrue }) => isTrue).length / named.length;
}

const covers = (interval: Interval | null | undefined, truth: number) =>
  interval != null && interval.low <= truth && truth <= interval.high;

for (const preset of ['ordinary', 'denseCity', 'iosOffices'])
  describe(`reported precision in ${preset} traffic`, () => {
    let runs: Measured[][] = [];
    before(() => {
      runs = Array.from({ length: RUNS }, (_, index) => measure(preset, 1_000 + index));
    });
    for (const platform of PLATFORMS)
      for (const threshold of THRESHOLDS)
        it(`${platform} from ${threshold} on: the interval covers the truth in 95 of 100 runs`, (test) => {
          const random = new Random(7);
          const pooled = truthOf(runs.flat(), platform, threshold);
          const covered = { own: 0, pooled: 0 };
          for (const run of runs) {
            const sample = run.filter(() => isDrawn(random.next(), 1));
            const [ofSample, ofAll] = [sample, run].map((each) => precisionOf(each, platform, threshold));
            covered.own += Number(covers(ofSample, truthOf(run, platform, threshold)));
            covered.pooled += Number(covers(ofAll, pooled));
          }
          test.diagnostic(`truth ${pooled.toFixed(4)}, ${JSON.stringify(covered)}`);
          assert.ok(covered.own >= 95 && covered.pooled >= 95, JSON.stringify(covered));
        });
  });
