/**
 * Decides which click an install or open belongs to; pure. The methods are tried in order: Play referrer, click ID,
 * fingerprint. The trace says why each method before the last one found no click.
 */
import type { Claimant, ClickRow } from '../click-log/index.ts';
import type { DeviceReport } from '../devices/index.ts';
import { isUuid } from '../lib/ids.ts';
import { buildMatchInput } from './match-input.ts';
import { MARGIN, matchFingerprint } from './matching/match.ts';
import { rejectionOf, rejectionOfToken } from './rejection.ts';
import type { Method, RejectedClick, Trace } from './trace.ts';

/** A click ID that the app sent. */
export interface ClickReference {
  /** May be malformed. */
  readonly clickId: string;
  /** Whether it came as a clipboard token, which expires and can be used once. */
  readonly token: 'none' | 'valid' | 'expired';
}

/** The evidence of a request, without the stored clicks. */
export interface RequestEvidence {
  readonly claimant: Claimant;
  /** Debug builds may claim sandbox clicks too. */
  readonly debugBuild: boolean;
  /** Only a named click may be matched, no device signals. */
  readonly deterministicOnly: boolean;
  /** Whether there is a Play referrer; many name no click. */
  readonly hasReferrer: boolean;
  /** Start of the installation by Play, if known: later clicks cannot have caused the install. */
  readonly installBeganAtMs: number | null;
  readonly device: DeviceReport;
}

export interface Evidence extends RequestEvidence {
  readonly nowMs: number;
  readonly windowHours: { readonly referrer: number; readonly clickId: number; readonly fingerprint: number };
  readonly fingerprintEnabled: boolean;
  /** Least probability of a fingerprint match. */
  readonly fingerprintThreshold: number;
  readonly referrer: FoundReference | null;
  readonly explicit: FoundReference | null;
  /** Clicks from the address in the fingerprint window, claimed ones too, newest first; null if not read. */
  readonly clicksFromAddress: readonly ClickRow[] | null;
}

export interface FoundReference extends ClickReference {
  readonly click: ClickRow | null;
}

/** Bounds of the trace, which is stored with every install. */
const MAX_TRACED_CANDIDATES = 5;
const MAX_TRACED_REJECTIONS = 20;

export interface Decision {
  readonly method: Method;
  /** Null if and only if the method is ORGANIC. */
  readonly click: ClickRow | null;
  /** Posterior of a fingerprint match; null for other methods. */
  readonly confidence: number | null;
  readonly trace: Trace;
}

interface Finding extends Omit<Decision, 'trace'> {
  readonly fingerprint: Trace['fingerprint'];
  readonly rejections: RejectedClick[];
}

/** The caller claims the click when it stores the decision, and has to decide again if another record was faster. */
export function decide(evidence: Evidence): Decision {
  const referenced = findReferencedClick(evidence);
  const { method, click, confidence, fingerprint, ...found } =
    referenced.finding ?? findByFingerprint(evidence);
  const rejections = [...referenced.rejections, ...found.rejections];
  const trace: Trace = {
    method,
    windowHours: evidence.windowHours,
    referrer: referrerIn(evidence),
    rejections: rejections.slice(0, MAX_TRACED_REJECTIONS),
    rejected: rejections.length,
    fingerprint,
  };
  return { method, click, confidence, trace };
}

/** For a person who had the app before the version that brought the SDK: no click led to the install. */
export function decideExistingUser(
  { hasReferrer, referrer }: Pick<RequestEvidence, 'hasReferrer'> & { referrer: ClickReference | null },
  windowHours: Evidence['windowHours'],
): Decision {
  const { method, click, confidence, fingerprint, rejections } = organic({ outcome: 'existing_user' });
  const trace: Trace = {
    method,
    windowHours,
    referrer: referrerIn({ hasReferrer, referrer }),
    rejections,
    rejected: 0,
    fingerprint,
  };
  return { method, click, confidence, trace };
}

function referrerIn({
  hasReferrer,
  referrer,
}: {
  hasReferrer: boolean;
  referrer: ClickReference | null;
}): Trace['referrer'] {
  if (referrer !== null) return 'click_id';
  return hasReferrer ? 'no_click_id' : 'none';
}

/** Finds the first referenced click that can be claimed, with the rejections of those before it. */
export function findReferencedClick(evidence: Evidence): {
  finding: Finding | null;
  rejections: RejectedClick[];
} {
  const { referrer, explicit, windowHours } = evidence;
  const rejections: RejectedClick[] = [];
  for (const [method, reference, hours] of [
    ['INSTALL_REFERRER', referrer, windowHours.referrer],
    ['CLICK_ID', explicit, windowHours.clickId],
  ] as const) {
    if (reference === null) continue;
    const { clickId, click, token } = reference;
    const reason =
      click === null ? 'unknown' : (rejectionOfToken(click, token) ?? rejectionOf(click, hours, evidence));
    if (!isUuid(clickId)) rejections.push({ method, clickId: null, reason: 'malformed' });
    else if (reason !== null) rejections.push({ method, clickId, reason });
    else
      return {
        finding: { method, click, confidence: null, fingerprint: { outcome: 'not_needed' }, rejections: [] },
        rejections,
      };
  }
  return { finding: null, rejections };
}

function findByFingerprint(evidence: Evidence): Finding {
  if (evidence.deterministicOnly) return organic({ outcome: 'deterministic_only' });
  if (!evidence.fingerprintEnabled) return organic({ outcome: 'disabled' });
  const clicks = evidence.clicksFromAddress;
  if (clicks === null) return organic({ outcome: 'no_address' });
  const { input, rejected } = buildMatchInput(evidence, clicks);
  const match = matchFingerprint(input);
  const rejections = [...rejected, ...match.vetoed].map((each) => ({
    method: 'FINGERPRINT' as const,
    ...each,
  }));
  const compared = {
    crowd: Math.round(input.crowd * 10) / 10,
    threshold: input.threshold,
    margin: MARGIN,
    considered: match.candidates.length,
    candidates: match.candidates.slice(0, MAX_TRACED_CANDIDATES),
  };
  if (match.clickId === null) return { ...organic({ outcome: match.reason, ...compared }), rejections };
  return {
    method: 'FINGERPRINT',
    click: clicks.find(({ id }) => id === match.clickId) ?? null,
    confidence: match.probability,
    fingerprint: { outcome: 'matched', ...compared },
    rejections,
  };
}

function organic(fingerprint: Trace['fingerprint']): Finding {
  return { method: 'ORGANIC', click: null, confidence: null, fingerprint, rejections: [] };
}
