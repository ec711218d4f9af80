import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../platform/secrets.ts';

interface ClickOfLink {
  readonly shortCode: string;
  readonly clickId: string;
}

/** What a page holds to show that it was answered to this very click: who only knows the click's ID cannot describe it. */
export function proofOf(secrets: Secrets, { shortCode, clickId }: ClickOfLink): string {
  return secrets.sign(`signals ${shortCode} ${clickId}`);
}

export function isProofOf(secrets: Secrets, click: ClickOfLink, proof: string): boolean {
  return isSame(proofOf(secrets, click), proof);
}

/** Tells nothing of how much is the same by how long it takes. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
