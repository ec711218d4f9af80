import { CLAIMABLE_VISITORS, type Claimant, type ClickRow } from '../clicks/index.ts';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import type { NamedEvidence, TokenState } from './decide.ts';
import type { Veto } from './matching/index.ts';

/** Why a click was not taken. `unknown` covers other apps' clicks: nobody is told that they exist. */
export type Rejection =
  | 'malformed'
  | 'unknown'
  | 'not_claimable'
  | 'sandbox'
  | 'outside_window'
  | 'after_install_began'
  | 'token_expired'
  | 'already_claimed'
  | 'other_platform'
  | 'unknown_platform'
  | Veto;

/** Play's clock and ours, and what lies between a tap and its click's record. */
const CLOCK_TOLERANCE_MS = 5 * SECOND_MS;

/** Null where nothing speaks against the click. */
export function rejectionOf(click: ClickRow, windowHours: number, evidence: NamedEvidence): Rejection | null {
  const clickedAtMs = Date.parse(click.clicked_at);
  if (!CLAIMABLE_VISITORS.some((kind) => kind === click.visitor)) return 'not_claimable';
  if (click.sandbox === 1 && !evidence.debugBuild) return 'sandbox';
  if (evidence.nowMs - clickedAtMs > windowHours * HOUR_MS) return 'outside_window';
  if (evidence.installBeganAtMs !== null && clickedAtMs > evidence.installBeganAtMs + CLOCK_TOLERANCE_MS)
    return 'after_install_began';
  if (isClaimed(click, evidence.claimant)) return 'already_claimed';
  return null;
}

/** Null where the click was named by no token, or by one that still serves: for an install or an open, and not for both. */
export function rejectionOfToken(click: ClickRow, token: TokenState): Rejection | null {
  if (token === 'none') return null;
  if (token === 'expired') return 'token_expired';
  return isClaimed(click, 'install') || isClaimed(click, 'open') ? 'already_claimed' : null;
}

/** By whatever install, or open: a click belongs to at most one of each. */
export function isClaimed(click: ClickRow, claimant: Claimant): boolean {
  return (claimant === 'install' ? click.claimed_by_install : click.claimed_by_open) !== null;
}
