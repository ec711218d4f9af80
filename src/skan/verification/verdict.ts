/**
 * - `verified`: the signature is Apple's.
 * - `invalid`: it is not, or what it would sign is not there or of another type.
 * - `unverifiable`: nobody can say here: the version or the key is unknown, or this runtime lacks its curve.
 */
export const VERDICTS = ['verified', 'invalid', 'unverifiable'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a postback says of itself in the fields that Apple signs; null where one is not there or not of its type. */
export interface Claims {
  readonly version: string | null;
  readonly adNetworkId: string | null;
  /** The advertised app's. */
  readonly appStoreId: number | null;
  readonly transactionId: string | null;
  /** Which conversion window it is about; 0 where a version has no more than one. */
  readonly sequenceIndex: number;
  readonly sourceIdentifier: string | null;
  readonly campaignId: number | null;
  /** Null before version 3.0, which tells winners only. */
  readonly didWin: boolean | null;
  readonly conversionType: string | null;
  /** Made for a test, on a developer's device. */
  readonly isTest: boolean;
}

/** What came of a postback. The claims are there whatever the verdict, and worth as much as that. */
export interface Verification {
  readonly verdict: Verdict;
  /** A sentence; null where it is verified. */
  readonly reason: string | null;
  readonly claims: Claims;
}
