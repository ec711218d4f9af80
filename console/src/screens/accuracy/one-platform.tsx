import type { AccuracyOfPlatform, AccuracyPoint } from '@generated/types.gen.ts';
import { useState } from 'react';
import { ChartKey } from '../../components/chart-key.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount, formatShare, PLATFORMS, plural } from '../../formats.ts';
import { Choose } from './choose.tsx';
import { ThresholdChart } from './threshold-chart.tsx';
import { formatInterval, formatThreshold } from './words.ts';

/** The curves, and below them the choice of a threshold. */
export function OnePlatform({ curve, threshold }: { curve: AccuracyOfPlatform; threshold: number }) {
  const points = curve.thresholds;
  const [chosen, setChosen] = useState(threshold);
  const current = pointAt(points, threshold);
  const at = pointAt(points, chosen);
  if (current === undefined || at === undefined) return null;
  return (
    <>
      <Sentence curve={curve} point={current} />
      {curve.sampled > 0 && (
        <>
          <ThresholdChart
            name="Right of the matched"
            label={`Right of the matched, by threshold, on ${PLATFORMS[curve.platform]}`}
            points={points}
            intervalOf={({ precision }) => precision}
            chosen={chosen}
          />
          <ThresholdChart
            name="Matched of all"
            label={`Matched of all, by threshold, on ${PLATFORMS[curve.platform]}`}
            points={points}
            intervalOf={({ coverage }) => coverage}
            chosen={chosen}
          />
          <p className="meta pt-1">
            <ChartKey line="accent">The share</ChartKey> by threshold, within its 95 % interval. The upright
            line is where the slider is.
          </p>
        </>
      )}
      <Choose point={at} threshold={threshold} compared={curve.compared} onChoose={setChosen} />
      <Reading curve={curve} />
    </>
  );
}

function pointAt(points: readonly AccuracyPoint[], threshold: number): AccuracyPoint | undefined {
  return points.find((point) => point.threshold === threshold);
}

function Sentence({ curve, point }: { curve: AccuracyOfPlatform; point: AccuracyPoint }) {
  const { precision, coverage, right, wrong, enough } = point;
  const platform = PLATFORMS[curve.platform];
  if (curve.sampled === 0)
    return (
      <p className="max-w-[72ch] pt-4 text-lead">
        No install on {platform} had a certain match, so nothing tells yet how right the fingerprint is.
      </p>
    );
  if (!enough || precision === null || coverage === null)
    return (
      <p className="max-w-[72ch] pt-4 text-lead">
        <b>Too few certain installs</b> on {platform} to say how right the fingerprint is: of{' '}
        {formatCount(curve.sampled)} it matched {formatCount(right + wrong)}
        {precision !== null &&
          `, ${formatCount(right)} of them rightly, so anything from ${formatInterval(precision)} may be true`}
        .
      </p>
    );
  return (
    <p className="max-w-[72ch] pt-4 text-lead">
      From {formatThreshold(point.threshold)} on, <b>{formatShare(precision.value)}</b> of the fingerprint’s
      matches are right ({formatInterval(precision)}), and it matches <b>{formatShare(coverage.value, 0)}</b>{' '}
      of the installs.
    </p>
  );
}

/** What the numbers are about, and what they are not. */
function Reading({ curve }: { curve: AccuracyOfPlatform }) {
  return (
    <Section title="How to read this">
      <div className="grid max-w-[72ch] gap-2 pt-2">
        <p>
          {plural(curve.sampled, 'install')} on {PLATFORMS[curve.platform]} had a click that is certain, by a
          Play referrer, a link or a copied token. The fingerprint was asked afterwards which click it would
          have named without that: <b>right</b> is their click, or another tap on its link by the same phone;{' '}
          <b>wrong</b> is another click; <b>none</b> is no match.
          {curve.skipped > 0 &&
            ` ${plural(curve.skipped, 'other')} could not be measured, since the service was busy.`}
        </p>
        <p>
          People without a certain match may differ from them. Above all, an install that follows no click at
          all has no certain match: where the fingerprint matches one, it is wrong, and not counted here. So
          take the share for the most that can be hoped for. Most certain matches are on Android, and the two
          platforms are never mixed.
        </p>
      </div>
    </Section>
  );
}
