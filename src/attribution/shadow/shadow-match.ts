import type { ClickRow } from '../../click-log/index.ts';
import { type Finding, LEAST_THRESHOLD, percentOf } from '../../stats/index.ts';
import type { Evidence } from '../decide.ts';
import { buildMatchInput, mayBeOfOneDevice } from '../match-input.ts';
import { matchFingerprint } from '../matching/match.ts';
import type { Trace } from '../trace.ts';

/** The click that the fingerprint alone would have named. */
interface ShadowClick {
  readonly clickId: string;
  readonly probability: number;
  /** Whether it is the click of the install, or a tap by the same phone on the same link: it leads to the same place. */
  readonly isRight: boolean;
}

/** What the fingerprint alone would have said of an install that a certain method matched to `own`; pure. */
export function shadowMatch(evidence: Evidence, own: ClickRow): Finding {
  const named = shadowClick(evidence, own);
  if (named === null) return { verdict: 'none', percent: 0 };
  return { verdict: named.isRight ? 'right' : 'wrong', percent: percentOf(named.probability) };
}

/**
 * The install's own click counts as unclaimed again, and clicks since the install are left out.
 * @param evidence with all clicks from the address, although the real decision needed none.
 * @returns null if the fingerprint names no click at any threshold.
 */
export function shadowClick(evidence: Evidence, own: ClickRow): ShadowClick | null {
  const clicks = (evidence.clicksFromAddress ?? [])
    .filter(({ id, clicked_at }) => id === own.id || Date.parse(clicked_at) <= evidence.nowMs)
    .map((click) => (click.id === own.id ? { ...click, claimed_by_install: null } : click));
  // The threshold is the last condition of a match: at the least one, the probability tells of all others.
  const { input } = buildMatchInput({ ...evidence, fingerprintThreshold: LEAST_THRESHOLD }, clicks);
  const match = matchFingerprint(input);
  const named = clicks.find(({ id }) => id === match.clickId);
  if (match.clickId === null || named === undefined) return null;
  const { clickId, probability } = match;
  const isSecondTap = named.link_id === own.link_id && mayBeOfOneDevice(named, own);
  return { clickId, probability, isRight: clickId === own.id || isSecondTap };
}

/** How probable the best click was of an install without a certain match; null if nothing was compared. */
export function comparedInstall({ fingerprint }: Trace): Finding | null {
  if (!('considered' in fingerprint)) return null;
  const { outcome, candidates } = fingerprint;
  const isDecided = outcome === 'matched' || outcome === 'below_threshold';
  return { verdict: 'compared', percent: isDecided ? percentOf(candidates[0]?.probability ?? 0) : 0 };
}
