import type { Secrets } from '../../platform/secrets.ts';

interface ClickOfLink {
  readonly shortCode: string;
  readonly clickId: string;
}

/** What a page holds to show that it was answered to this very click: who only knows the click's ID cannot describe it. */
export function proofOf(secrets: Secrets, click: ClickOfLink): string {
  return secrets.sign(signedText(click));
}

/** Whether the page that sent it was answered to this click. How long it takes tells nothing. */
export function isProofOf(secrets: Secrets, click: ClickOfLink, proof: string): boolean {
  return secrets.isSigned(signedText(click), proof);
}

function signedText({ shortCode, clickId }: ClickOfLink): string {
  return `signals ${shortCode} ${clickId}`;
}
