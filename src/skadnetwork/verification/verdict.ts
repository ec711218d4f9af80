/**
 * - `verified`: the signature is Apple's.
 * - `invalid`: the signature is not Apple's, or a signed field is missing or has another type.
 * - `unverifiable`: the version or the key is unknown, or the runtime lacks its curve.
 */
export const VERDICTS = ['verified', 'invalid', 'unverifiable'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The values of signed fields; null if one is missing or has another type. */
export interface Claims {
  readonly version: string | null;
  readonly adNetworkId: string | null;
  /** Of the advertised app. */
  readonly appStoreId: number | null;
  readonly transactionId: string | null;
  /** The conversion window; 0 for versions with only one. */
  readonly sequenceIndex: number;
  readonly sourceIdentifier: string | null;
  readonly campaignId: number | null;
  /** Null before version 3.0, which reports winners only. */
  readonly didWin: boolean | null;
  readonly conversionType: string | null;
  /** Sent by a developer device or Apple's testing environment. */
  readonly isTest: boolean;
}

/** The claims are present whatever the verdict, and no more reliable than it. */
export interface Verification {
  readonly verdict: Verdict;
  /** A sentence; null if verified. */
  readonly reason: string | null;
  readonly claims: Claims;
}
