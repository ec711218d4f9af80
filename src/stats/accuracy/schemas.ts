/** `GET /v1/stats/accuracy`. */
import { type Static, Type } from 'typebox';
import { days } from '../../server/days.ts';
import { Named, Nullable, OnlyThese } from '../../server/schemas.ts';
import type { Curve, CurvePoint } from './curve.ts';
import type { Interval } from './interval.ts';

const Platform = Type.Enum(['ANDROID', 'IOS']);
export const ReadAccuracy = OnlyThese({ ...days, platform: Type.Optional(Platform) });

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const ShareInterval = Named('AccuracyShare', { value: Share, low: Share, high: Share });
const Amount = Type.Number({ minimum: 0 });

const Point = Named('AccuracyPoint', {
  threshold: Type.Number(),
  right: Count(
    'Certain installs for which the fingerprint names their click, or an equal device’s tap on its link',
  ),
  wrong: Count('For which it names another click'),
  none: Count('For which it names none'),
  precision: Nullable(ShareInterval, {
    description: '`right` of `right` and `wrong`, with its 95 % interval; null if both are 0',
  }),
  coverage: Nullable(ShareInterval, {
    description: '`right` and `wrong` of all three, with its 95 % interval; null without a sample',
  }),
  enough: Type.Boolean({ description: 'Whether the interval of `precision` is at most 0.1 wide' }),
  matched: Count('Of `compared`: those that the fingerprint would have matched'),
  change: Named('AccuracyChange', {
    installs: Type.Integer({ description: '`matched` less that of the app’s threshold' }),
    wrong: Nullable(Named('AccuracyAmount', { value: Amount, low: Amount, high: Amount }), {
      description:
        'How many of these are wrong, with the 95 % interval, if they are as the certain installs between both thresholds; null if there are none',
    }),
    wrongByConfidence: Type.Number({
      minimum: 0,
      description: 'How many of these are wrong by the probabilities of the fingerprint itself',
    }),
  }),
});

export const Accuracy = Named('AccuracyStats', {
  from: Type.String({ description: 'In UTC, such as 2026-01-31' }),
  to: Type.String(),
  threshold: Type.Number({ description: '`fingerprintThreshold` of the app' }),
  measureAccuracy: Type.Boolean({ description: 'Whether the app is measured now' }),
  platforms: Type.Array(
    Named('AccuracyOfPlatform', {
      platform: Platform,
      fingerprint: Type.Boolean({
        description: 'Whether the fingerprint is on for it; while it is off, nothing is measured or matched',
      }),
      sampled: Count('Certain installs that were measured, at most 2,000 of a UTC day for both platforms'),
      skipped: Count('Certain installs that were chosen and not measured, since the service was busy'),
      compared: Count('Installs that only the fingerprint could match'),
      enough: Type.Boolean({ description: 'That of the app’s threshold' }),
      thresholds: Type.Array(Point, { description: 'From 0.5 to 0.99 in steps of 0.01' }),
    }),
  ),
});

export function presentCurve({ thresholds, ...curve }: Curve) {
  return { ...curve, thresholds: thresholds.map(presentPoint) };
}

function presentPoint(point: CurvePoint): Static<typeof Point> {
  return {
    ...point,
    precision: rounded(point.precision, 4),
    coverage: rounded(point.coverage, 4),
    change: {
      ...point.change,
      wrong: rounded(point.change.wrong, 1),
      wrongByConfidence: Number(point.change.wrongByConfidence.toFixed(1)),
    },
  };
}

function rounded(interval: Interval | null, digits: number): Interval | null {
  if (interval === null) return null;
  const round = (value: number) => Number(value.toFixed(digits));
  return { value: round(interval.value), low: round(interval.low), high: round(interval.high) };
}
