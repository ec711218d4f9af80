/** The explanation of an install, as docs/internals/matching.md describes it. */
import type { Method } from '../../formats.ts';

export const SIGNALS = ['model', 'screen', 'osVersion', 'language', 'timezone'] as const;
export type Signal = (typeof SIGNALS)[number];
export type Agreement = 'same' | 'close' | 'different';

export interface Candidate {
  readonly clickId: string;
  readonly ageSeconds: number;
  readonly comparison: Partial<Readonly<Record<Signal, Agreement>>>;
  readonly weights: Partial<Readonly<Record<Signal, number>>>;
  /** Both are absent from installs that older versions recorded. */
  readonly priorOdds?: number;
  readonly device?: number;
  readonly probability: number;
}

export interface Rejection {
  readonly method: Method;
  readonly clickId: string | null;
  readonly reason: string;
}

export interface Compared {
  readonly outcome: string;
  readonly crowd: number;
  readonly threshold: number;
  readonly margin: number;
  readonly considered: number;
  readonly candidates: readonly Candidate[];
}

export interface Trace {
  readonly method: Method;
  readonly windowHours: { readonly referrer: number; readonly clickId: number; readonly fingerprint: number };
  readonly referrer: 'none' | 'no_click_id' | 'click_id';
  readonly rejections: readonly Rejection[];
  readonly rejected: number;
  readonly fingerprint: Compared | { readonly outcome: string };
}

/** The API describes explanations as objects alone: their form is that of the service's version. */
export function readTrace(explanation: Record<string, unknown>): Trace {
  return explanation as unknown as Trace;
}

export function comparedOf({ fingerprint }: Trace): Compared | null {
  return 'candidates' in fingerprint && fingerprint.candidates.length > 0 ? fingerprint : null;
}

/** When a UUIDv7 was made, as ISO text; null for other versions. */
export function timeOfId(id: string): string | null {
  const digits = id.replaceAll('-', '');
  return digits[12] === '7' ? new Date(Number.parseInt(digits.slice(0, 12), 16)).toISOString() : null;
}
