import type { ClickRow } from '../../click-log/index.ts';
import { type Finding, percentOf } from '../../stats/index.ts';
import type { Evidence } from '../decide.ts';
import { buildMatchInput } from '../match-input.ts';
import { matchFingerprint } from '../matching/match.ts';
import type { Trace } from '../trace.ts';

const NONE: Finding = { verdict: 'none', percent: 0 };

/**
 * What the fingerprint alone would have said of an install that a certain method matched; pure. Its click counts as
 * unclaimed again, and clicks since the install are left out.
 * @param evidence with all clicks from the address, also if the real decision needed none.
 */
export function shadowMatch(evidence: Evidence, trueClickId: string): Finding {
  const installedAtMs = evidence.nowMs;
  const clicks = (evidence.clicksFromAddress ?? [])
    .filter((click) => click.id === trueClickId || Date.parse(click.clicked_at) <= installedAtMs)
    .map((click) => (click.id === trueClickId ? { ...click, claimed_by_install: null } : click));
  // The threshold is the last condition of a match: without it the probability is known for each.
  const { input } = buildMatchInput({ ...evidence, fingerprintThreshold: 0 }, clicks);
  const match = matchFingerprint(input);
  if (match.clickId === null) return NONE;
  const percent = percentOf(match.probability);
  if (percent === 0) return NONE;
  const deviceOf = (clickId: string) =>
    match.candidates.find((each) => each.clickId === clickId)?.device ?? 0;
  const linkOf = (clickId: string) => clicks.find(({ id }: ClickRow) => id === clickId)?.link_id;
  const { clickId } = match;
  // A second tap by the same phone on the same link leads to the same place and campaign.
  const isRight =
    clickId === trueClickId ||
    (linkOf(clickId) === linkOf(trueClickId) &&
      deviceOf(trueClickId) > 0 &&
      deviceOf(clickId) === deviceOf(trueClickId));
  return { verdict: isRight ? 'right' : 'wrong', percent };
}

/** How probable the best click was of an install without a certain match; null if nothing was compared. */
export function comparedInstall({ fingerprint }: Trace): Finding | null {
  if (!('considered' in fingerprint)) return null;
  const { outcome, candidates } = fingerprint;
  const isDecided = outcome === 'matched' || outcome === 'below_threshold';
  return { verdict: 'compared', percent: isDecided ? percentOf(candidates[0]?.probability ?? 0) : 0 };
}
