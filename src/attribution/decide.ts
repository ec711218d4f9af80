/**
 * Which click an install or an open belongs to. Pure: everything it looks at is in the evidence. The methods are tried
 * in order (Play referrer, click ID, fingerprint); what makes one fall through to the next is kept in the trace.
 */
import { CLAIMABLE_VISITORS, type Claimant, type ClickRow } from '../clicks/index.ts';
import { HOUR_MS } from '../platform/clock.ts';
import {
  type Candidate,
  type DeviceReport,
  matchFingerprint,
  signalsOfClick,
  signalsOfDevice,
  type WeighedCandidate,
} from './matching/index.ts';

export type Method = 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC';

/** A click that the app named, and what was found under that name. */
export interface NamedClick {
  readonly clickId: string;
  readonly click: ClickRow | null;
}

export interface Evidence {
  readonly nowMs: number;
  readonly claimant: Claimant;
  /** Debug builds may claim sandbox clicks too. */
  readonly debugBuild: boolean;
  readonly windowHours: { readonly referrer: number; readonly clickId: number; readonly fingerprint: number };
  readonly fingerprintEnabled: boolean;
  readonly referrer: NamedClick | null;
  readonly explicit: NamedClick | null;
  readonly device: DeviceReport;
  /** Clicks from the same address in the window, claimed ones too; null where no address is known. */
  readonly clicksFromAddress: readonly ClickRow[] | null;
}

/** More clicks than this behind one address tell nobody from anybody. */
export const MAX_CLICKS_FROM_ADDRESS = 500;

/** Why a click was not taken. `unknown` covers other apps' clicks: nobody is told that they exist. */
export type Rejection =
  | 'unknown'
  | 'not_claimable'
  | 'sandbox'
  | 'outside_window'
  | 'already_claimed'
  | 'other_platform';

/** Identifiers and weights only, never a value of a signal. */
export interface Trace {
  readonly method: Method;
  readonly windowHours: Evidence['windowHours'];
  readonly rejections: readonly {
    readonly method: Method;
    readonly clickId: string;
    readonly reason: Rejection;
  }[];
  readonly fingerprint:
    | {
        readonly outcome: 'matched' | 'no_candidates' | 'below_threshold' | 'ambiguous';
        readonly candidates: readonly WeighedCandidate[];
      }
    | { readonly outcome: 'not_needed' | 'disabled' | 'no_address' | 'crowded' };
}

export interface Decision {
  readonly method: Method;
  readonly click: ClickRow | null;
  /** Posterior of a fingerprint match; null for every other method. */
  readonly confidence: number | null;
  readonly trace: Trace;
}

export function decide(evidence: Evidence): Decision {
  const rejections: { method: Method; clickId: string; reason: Rejection }[] = [];
  const outcome = (
    method: Method,
    click: ClickRow | null,
    confidence: number | null,
    fingerprint: Trace['fingerprint'],
  ): Decision => ({
    method,
    click,
    confidence,
    trace: { method, windowHours: evidence.windowHours, rejections, fingerprint },
  });

  for (const [method, named, windowHours] of [
    ['INSTALL_REFERRER', evidence.referrer, evidence.windowHours.referrer],
    ['CLICK_ID', evidence.explicit, evidence.windowHours.clickId],
  ] as const) {
    if (named === null) continue;
    const reason = named.click === null ? 'unknown' : rejectionOf(named.click, windowHours, evidence);
    if (reason === null) return outcome(method, named.click, null, { outcome: 'not_needed' });
    rejections.push({ method, clickId: named.clickId, reason });
  }

  if (!evidence.fingerprintEnabled) return outcome('ORGANIC', null, null, { outcome: 'disabled' });
  const clicks = evidence.clicksFromAddress;
  if (clicks === null) return outcome('ORGANIC', null, null, { outcome: 'no_address' });
  if (clicks.length > MAX_CLICKS_FROM_ADDRESS) return outcome('ORGANIC', null, null, { outcome: 'crowded' });

  const candidates = candidatesOf(evidence, clicks, (clickId, reason) =>
    rejections.push({ method: 'FINGERPRINT', clickId, reason }),
  );
  const match = matchFingerprint(signalsOfDevice(evidence.device), candidates, evidence.nowMs);
  if (match.clickId === null)
    return outcome('ORGANIC', null, null, { outcome: match.reason, candidates: match.candidates });
  const click = clicks.find(({ id }) => id === match.clickId) ?? null;
  return outcome('FINGERPRINT', click, match.probability, {
    outcome: 'matched',
    candidates: match.candidates,
  });
}

function rejectionOf(click: ClickRow, windowHours: number, evidence: Evidence): Rejection | null {
  if (!CLAIMABLE_VISITORS.some((kind) => kind === click.visitor)) return 'not_claimable';
  if (click.sandbox === 1 && !evidence.debugBuild) return 'sandbox';
  if (evidence.nowMs - Date.parse(click.clicked_at) > windowHours * HOUR_MS) return 'outside_window';
  if (isClaimed(click, evidence.claimant)) return 'already_claimed';
  return null;
}

function isClaimed(click: ClickRow, claimant: Claimant): boolean {
  return (claimant === 'install' ? click.claimed_by_install : click.claimed_by_open) !== null;
}

/** What a device clicked before the click that it claimed is no longer anybody's. */
function candidatesOf(
  evidence: Evidence,
  clicks: readonly ClickRow[],
  reject: (clickId: string, reason: Rejection) => void,
): Candidate[] {
  const spentUntil = new Map<string, string>();
  for (const click of clicks.filter((one) => isClaimed(one, evidence.claimant))) {
    const until = spentUntil.get(deviceOf(click)) ?? '';
    if (click.clicked_at > until) spentUntil.set(deviceOf(click), click.clicked_at);
  }
  return clicks.flatMap((click) => {
    const reason =
      rejectionOf(click, evidence.windowHours.fingerprint, evidence) ??
      (click.clicked_at <= (spentUntil.get(deviceOf(click)) ?? '') ? 'already_claimed' : null) ??
      (click.platform !== null && click.platform !== evidence.device.platform ? 'other_platform' : null);
    if (reason !== null) {
      reject(click.id, reason);
      return [];
    }
    const clickedAtMs = Date.parse(click.clicked_at);
    return [{ clickId: click.id, clickedAtMs, signals: signalsOfClick(click), device: deviceOf(click) }];
  });
}

/** Two clicks are of one device as far as anybody can tell when all that was seen of it is the same. */
function deviceOf(click: ClickRow): string {
  return JSON.stringify([click.user_agent, click.accept_language, click.device_model, click.fingerprint]);
}
