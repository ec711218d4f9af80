import type { Foundation } from './foundation.ts';
import { HOUR_MS, SECOND_MS } from './lib/clock.ts';
import type { Secrets } from './lib/secrets.ts';
import { CLICK_ID_PARAMETER, type ResolvedLink } from './links/index.ts';

/** Covers the download between the tap and the app's first start. */
const LIFETIME_MS = HOUR_MS;
const TOKEN = /^([A-Za-z0-9_-]{3,64})\.([0-9a-f-]{36})\.([0-9a-z]{1,10})\.([A-Za-z0-9_-]{22})$/;

interface ClipboardToken {
  readonly clickId: string;
  readonly isExpired: boolean;
}

/**
 * The text that the landing page copies: the short link, with a token in `svc_click_id`. A token is short code, click ID,
 * expiry in seconds (base 36) and a signature over these and the app.
 */
export function clipboardText(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  link: ResolvedLink,
  clickId: string,
): string {
  const expiresAtSeconds = Math.floor((clock.nowMs() + LIFETIME_MS) / SECOND_MS).toString(36);
  const signed = `${link.shortCode}.${clickId}.${expiresAtSeconds}`;
  const token = `${signed}.${secrets.sign(clipboardTextToSign(link.appId, signed))}`;
  // A long link has a query of its own.
  const [address] = link.shortUrl.split('?', 1);
  return `${address}?${CLICK_ID_PARAMETER}=${token}`;
}

/** @returns null for an invalid token. @param token without the address around it. */
export function readClipboardToken(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  appId: string,
  token: string,
): ClipboardToken | null {
  const [, , clickId = '', expiresAt = '', signature = ''] = TOKEN.exec(token) ?? [];
  const signed = token.slice(0, -signature.length - 1);
  if (signature === '' || !secrets.isSigned(clipboardTextToSign(appId, signed), signature)) return null;
  return { clickId, isExpired: clock.nowMs() > Number.parseInt(expiresAt, 36) * SECOND_MS };
}

function clipboardTextToSign(appId: string, signed: string): string {
  return `clipboard ${appId} ${signed}`;
}

/** A signature in the landing page of a click. Knowing the click ID alone does not permit to describe its device. */
export function proofOf(secrets: Secrets, shortCode: string, clickId: string): string {
  return secrets.sign(proofText(shortCode, clickId));
}

/** Compares in constant time. */
export function isProofOf(secrets: Secrets, shortCode: string, clickId: string, proof: string): boolean {
  return secrets.isSigned(proofText(shortCode, clickId), proof);
}

function proofText(shortCode: string, clickId: string): string {
  return `signals ${shortCode} ${clickId}`;
}
