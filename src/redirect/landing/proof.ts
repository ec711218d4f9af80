import type { Secrets } from '../../lib/secrets.ts';

/** A signature in the landing page of a click. Knowing the click ID alone does not permit to describe its device. */
export function proofOf(secrets: Secrets, shortCode: string, clickId: string): string {
  return secrets.sign(signedText(shortCode, clickId));
}

/** Compares in constant time. */
export function isProofOf(secrets: Secrets, shortCode: string, clickId: string, proof: string): boolean {
  return secrets.isSigned(signedText(shortCode, clickId), proof);
}

function signedText(shortCode: string, clickId: string): string {
  return `signals ${shortCode} ${clickId}`;
}
