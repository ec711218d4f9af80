import type { Destinations, LandingPage } from '../apps/index.ts';
import type { LinksTable } from '../db/index.ts';

export type LinkRow = LinksTable;

/** A link with the defaults of its app, as redirects and pages need it. */
export interface ResolvedLink extends Required<Destinations> {
  readonly appId: string;
  readonly id: string;
  readonly shortCode: string;
  readonly shortUrl: string;
  readonly deepLinkPath: string;
  /** JSON object. Not parsed, since most clicks do not need it and it would take up to 20 times the memory. */
  readonly deepLinkParamsText: string;
  readonly campaignId: string | null;
  readonly sandbox: boolean;
  readonly expiresAtMs: number | null;
  /** Preview card in chats. */
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  readonly landingPage: LandingPage;
  readonly app: LinkedApp;
}

interface LinkedApp {
  readonly name: string;
  readonly urlScheme: string | null;
  readonly androidPackage: string | null;
  /** Whether the landing page on iOS offers to copy a token that identifies the click. */
  readonly clipboardToken: boolean;
}

/** Of chosen codes; generated ones have eight characters. */
export const SHORT_CODE_PATTERN = '^[A-Za-z0-9_-]{3,64}$';
const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

export function isShortCode(text: string): boolean {
  return SHORT_CODE.test(text);
}

/** Decodes the code in the path of a short link. @returns '' for a malformed escape; no link has this code. */
export function decodeShortCode(code: string): string {
  if (!code.includes('%')) return code;
  try {
    return decodeURIComponent(code);
  } catch {
    return '';
  }
}

export function isExpired(link: ResolvedLink, nowMs: number): boolean {
  return link.expiresAtMs !== null && link.expiresAtMs <= nowMs;
}

/** Path prefix of short links. */
export const SHORT_LINK_PATH = '/l/';

/** @param base URL of the app's short links. */
export function shortUrlOf(base: string, { short_code: code }: Pick<LinkRow, 'short_code'>): string {
  return `${base}${SHORT_LINK_PATH}${code}`;
}

export function deepLinkPayload(
  { deepLinkPath, deepLinkParamsText }: Pick<ResolvedLink, 'deepLinkPath' | 'deepLinkParamsText'>,
  isDeferred: boolean,
): { deepLinkPath: string; deepLinkParams: Record<string, unknown>; isDeferred: boolean } {
  return { deepLinkPath, deepLinkParams: JSON.parse(deepLinkParamsText), isDeferred };
}
