import { CLICK_ID_PARAMETER, type ResolvedLink } from '../../links/index.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';

/** From the tap to the app's first start there is a download, and no more. */
const LIFETIME_MS = HOUR_MS;
const FORM = /^([A-Za-z0-9_-]{3,64})\.([0-9a-f-]{36})\.([0-9a-z]{1,10})\.([A-Za-z0-9_-]{22})$/;

/** What a clipboard brought back. */
interface ClipboardToken {
  readonly clickId: string;
  readonly isExpired: boolean;
}

/**
 * What the landing page copies: the short link itself, so that it is one wherever it is pasted, with a token for the click
 * in its `svc_click_id`: the code of the link, the click, when it ends, and a signature over these and the app.
 */
export function clipboardText({ secrets, clock }: Ctx, link: ResolvedLink, clickId: string): string {
  const endsAtSeconds = Math.floor((clock.nowMs() + LIFETIME_MS) / SECOND_MS).toString(36);
  const signed = `${link.shortCode}.${clickId}.${endsAtSeconds}`;
  const token = `${signed}.${secrets.sign(signatureText(link.appId, signed))}`;
  return `${link.shortUrl}?${CLICK_ID_PARAMETER}=${token}`;
}

/** Null for what is no token of this app's. @param token without the address around it. */
export function readClipboardToken(
  { secrets, clock }: Ctx,
  appId: string,
  token: string,
): ClipboardToken | null {
  const [, , clickId = '', endsAt = '', signature = ''] = FORM.exec(token) ?? [];
  const signed = token.slice(0, -signature.length - 1);
  if (signature === '' || !secrets.isSigned(signatureText(appId, signed), signature)) return null;
  return { clickId, isExpired: clock.nowMs() > Number.parseInt(endsAt, 36) * SECOND_MS };
}

function signatureText(appId: string, signed: string): string {
  return `clipboard ${appId} ${signed}`;
}
