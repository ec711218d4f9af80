/** How a look changes what is known of a check. Pure. */
import { isoTime, MINUTE_MS } from '../lib/clock.ts';
import type { Check, Outcome, State } from './host.ts';

/** A second look this much later has to find the same problem before it is reported. */
export const CONFIRM_AFTER_MS = 5 * MINUTE_MS;

/** What is stored of a check. */
export interface KnownCheck {
  readonly check: Check;
  readonly state: State;
  readonly message: string;
  readonly mend: string | null;
  /** Since when it has this state. */
  readonly since: string;
  readonly checkedAt: string;
  /** The first look that found the problem, while no look finds it gone. */
  readonly suspectedAt: string | null;
  /** Whether a problem was reported that is not over. */
  readonly isTold: boolean;
  /** Whether any look ever found it in order. */
  readonly wasOk: boolean;
}

/** What is reported of a check. */
export type Change = 'problem' | 'recovered';

export function advance(
  known: KnownCheck | undefined,
  { check, outcome, nowMs }: { check: Check; outcome: Outcome; nowMs: number },
): { readonly next: KnownCheck; readonly change: Change | null } {
  const now = isoTime(nowMs);
  const wasTold = known?.isTold ?? false;
  // A look that finds out nothing neither confirms a problem nor ends it.
  const suspectedAt =
    outcome.state === 'ok' ? null : (known?.suspectedAt ?? (outcome.state === 'problem' ? now : null));
  const patienceMs = outcome.patienceMs ?? CONFIRM_AFTER_MS;
  const isConfirmed =
    outcome.state === 'problem' && suspectedAt !== null && nowMs - Date.parse(suspectedAt) >= patienceMs;
  const isTold = outcome.state === 'ok' ? false : wasTold || isConfirmed;
  const waits = outcome.state === 'problem' && !isTold && patienceMs > CONFIRM_AFTER_MS;
  const state = waits ? 'unknown' : outcome.state;
  return {
    next: {
      ...{ check, state, message: outcome.message, mend: outcome.mend },
      since: known?.state === state ? known.since : now,
      ...{ checkedAt: now, suspectedAt, isTold },
      wasOk: (known?.wasOk ?? false) || outcome.state === 'ok',
    },
    change: isTold === wasTold ? null : isTold ? 'problem' : 'recovered',
  };
}

/** Whether a second look is due soon. */
export function awaitsConfirmation({ state, suspectedAt, isTold }: KnownCheck): boolean {
  return state === 'problem' && suspectedAt !== null && !isTold;
}

/** Of a host: a problem of any check, else whether all are in order. */
export function stateOf(checks: readonly Pick<KnownCheck, 'state'>[]): State {
  if (checks.some(({ state }) => state === 'problem')) return 'problem';
  return checks.length > 0 && checks.every(({ state }) => state === 'ok') ? 'ok' : 'unknown';
}
