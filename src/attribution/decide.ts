/**
 * Which click an install or an open belongs to. Pure: everything it looks at is in the evidence. The methods are tried
 * in order (Play referrer, click ID, fingerprint); what makes one fall through to the next is kept in the trace.
 */
import type { Claimant, ClickRow } from '../clicks/index.ts';
import type { DeviceReport } from '../devices/index.ts';
import { isUuid } from '../platform/ids.ts';
import { MARGIN, matchFingerprint, THRESHOLD, type WeighedCandidate } from './matching/index.ts';
import { type Rejection, rejectionOf, rejectionOfToken } from './rejection.ts';
import { sceneOf } from './scene.ts';

/** How an install or open found its click, in the contract's words; ORGANIC when it found none. */
export type Method = 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC';

/** A click that the app named, and what was found under that name. */
export interface NamedClick {
  readonly clickId: string;
  readonly click: ClickRow | null;
  readonly token: TokenState;
}

/** Whether a token from the clipboard named a click: it serves once, and not for long. */
export type TokenState = 'none' | 'valid' | 'expired';

/** What can be looked up before it is known whether a fingerprint is needed. */
export interface NamedEvidence {
  readonly nowMs: number;
  readonly claimant: Claimant;
  /** Debug builds may claim sandbox clicks too. */
  readonly debugBuild: boolean;
  readonly windowHours: { readonly referrer: number; readonly clickId: number; readonly fingerprint: number };
  readonly fingerprintEnabled: boolean;
  /** Whether Play's referrer came at all: many name no click. */
  readonly hasReferrer: boolean;
  readonly referrer: NamedClick | null;
  readonly explicit: NamedClick | null;
  /** When Play began to install the app; null where it is not known. No later click can have caused the install. */
  readonly installBeganAtMs: number | null;
  readonly device: DeviceReport;
}

/** Everything that was looked up for a decision. */
export interface Evidence extends NamedEvidence {
  /** Clicks from the same address in the window, claimed ones too, newest first; null where no address is known. */
  readonly clicksFromAddress: readonly ClickRow[] | null;
}

/** A trace is stored with every install, so it has a bound. */
const MAX_TRACED_CANDIDATES = 5;
const MAX_TRACED_REJECTIONS = 20;

/** Identifiers and weights only, never a value of a signal. */
interface Trace {
  readonly method: Method;
  readonly windowHours: Evidence['windowHours'];
  readonly referrer: 'none' | 'no_click_id' | 'click_id';
  readonly rejections: readonly Rejected[];
  /** How many clicks were rejected in all: behind a crowded address only the first ones are listed. */
  readonly rejected: number;
  readonly fingerprint:
    | {
        readonly outcome: 'matched' | 'no_candidates' | 'nothing_agrees' | 'below_threshold' | 'ambiguous';
        /** Devices behind the address within the window; those of another platform count a little less. */
        readonly crowd: number;
        /** What the best probability had to reach, and how many times the next device's. */
        readonly threshold: number;
        readonly margin: number;
        /** How many clicks competed; the most probable ones are listed. */
        readonly considered: number;
        readonly candidates: readonly WeighedCandidate[];
      }
    | { readonly outcome: 'not_needed' | 'disabled' | 'no_address' };
}

/** What follows from the evidence, and why. There is no click where the method is ORGANIC. */
export interface Decision {
  readonly method: Method;
  readonly click: ClickRow | null;
  /** Posterior of a fingerprint match; null for every other method. */
  readonly confidence: number | null;
  readonly trace: Trace;
}

/** A click that was not taken, and why. */
interface Rejected {
  readonly method: Method;
  /** Null for what is no click ID: it may be anything, a person's name too. */
  readonly clickId: string | null;
  readonly reason: Rejection;
}

/** The click that the app named, where it may be taken. */
interface Taken {
  readonly method: Method;
  readonly click: ClickRow;
}

/** What a way to attribute came to, and what of it goes into the trace. */
interface Finding extends Omit<Decision, 'trace'> {
  readonly fingerprint: Trace['fingerprint'];
  readonly rejections: readonly Rejected[];
}

/** Claims nothing: whoever stores the decision does, and may find that the click was taken meanwhile. */
export function decide(evidence: Evidence): Decision {
  const { taken, rejections: ofNamed } = takeNamed(evidence);
  const { method, click, confidence, fingerprint, ...found } =
    taken === null ? findByFingerprint(evidence) : findingOf(taken);
  const rejections = [...ofNamed, ...found.rejections];
  const trace: Trace = {
    method,
    windowHours: evidence.windowHours,
    referrer: evidence.referrer !== null ? 'click_id' : evidence.hasReferrer ? 'no_click_id' : 'none',
    rejections: rejections.slice(0, MAX_TRACED_REJECTIONS),
    rejected: rejections.length,
    fingerprint,
  };
  return { method, click, confidence, trace };
}

/** The first click that is named and may be taken, if any, and why those before it may not. */
export function takeNamed(evidence: NamedEvidence): {
  taken: Taken | null;
  rejections: Rejected[];
} {
  const { referrer, explicit, windowHours } = evidence;
  const rejections: Rejected[] = [];
  for (const [method, named, hours] of [
    ['INSTALL_REFERRER', referrer, windowHours.referrer],
    ['CLICK_ID', explicit, windowHours.clickId],
  ] as const) {
    if (named === null) continue;
    const { clickId, click, token } = named;
    if (!isUuid(clickId)) {
      rejections.push({ method, clickId: null, reason: 'malformed' });
      continue;
    }
    const reason =
      click === null ? 'unknown' : (rejectionOfToken(click, token) ?? rejectionOf(click, hours, evidence));
    if (reason !== null) rejections.push({ method, clickId, reason });
    else if (click !== null) return { taken: { method, click }, rejections };
  }
  return { taken: null, rejections };
}

function findingOf(taken: Taken): Finding {
  return { ...taken, confidence: null, fingerprint: { outcome: 'not_needed' }, rejections: [] };
}

function findByFingerprint(evidence: Evidence): Finding {
  if (!evidence.fingerprintEnabled) return organic({ outcome: 'disabled' });
  const clicks = evidence.clicksFromAddress;
  if (clicks === null) return organic({ outcome: 'no_address' });
  const { scene, rejected } = sceneOf(evidence, clicks);
  const match = matchFingerprint(scene);
  const rejections = [...rejected, ...match.vetoed].map((each) => ({
    method: 'FINGERPRINT' as const,
    ...each,
  }));
  const compared = {
    crowd: Math.round(scene.crowd * 10) / 10,
    threshold: THRESHOLD,
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
