import type { Claimant, ClickRow } from '../click-log/index.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import type { ClickReference, Evidence } from './decide.ts';
import type { Rejection } from './trace.ts';

/** Covers the skew between Play's clock and this one, and the time between a tap and the record of its click. */
const CLOCK_TOLERANCE_MS = 5 * SECOND_MS;

/** @returns null if the click can be claimed. By its ID any click can, since only who followed the link has the ID. */
export function rejectionOf(click: ClickRow, windowHours: number, evidence: Evidence): Rejection | null {
  const clickedAtMs = Date.parse(click.clicked_at);
  if (click.sandbox === 1 && !evidence.debugBuild) return 'sandbox';
  if (evidence.nowMs - clickedAtMs > windowHours * HOUR_MS) return 'outside_window';
  if (evidence.installBeganAtMs !== null && clickedAtMs > evidence.installBeganAtMs + CLOCK_TOLERANCE_MS)
    return 'after_install_began';
  if (isClaimed(click, evidence.claimant)) return 'already_claimed';
  return null;
}

/** A clipboard token can be used once: by an install or by an open, not by both. */
export function rejectionOfToken(click: ClickRow, token: ClickReference['token']): Rejection | null {
  if (token === 'none') return null;
  if (token === 'expired') return 'token_expired';
  return isClaimed(click, 'install') || isClaimed(click, 'open') ? 'already_claimed' : null;
}

/** A click can be claimed by one install and by one open. */
export function isClaimed(click: ClickRow, claimant: Claimant): boolean {
  return (claimant === 'install' ? click.claimed_by_install : click.claimed_by_open) !== null;
}
