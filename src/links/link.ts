import type { LandingPage } from '../apps/index.ts';
import type { LinksTable } from '../platform/db/index.ts';
import type { Destinations } from '../platform/web-address.ts';

export type LinkRow = LinksTable;

/** What a tap on a short link needs to know; destinations and `landingPage` have the app's defaults filled in. */
export interface ResolvedLink extends Required<Destinations> {
  readonly appId: string;
  readonly id: string;
  readonly shortCode: string;
  readonly shortUrl: string;
  readonly deepLinkPath: string;
  /** JSON object, as a text: parsed it takes up to twenty times the memory, and most taps do not need it. */
  readonly deepLinkParamsText: string;
  readonly campaignId: string | null;
  readonly sandbox: boolean;
  readonly expiresAtMs: number | null;
  /** What chats show of the link. */
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  readonly landingPage: LandingPage;
  readonly app: LinkedApp;
}

/** What the pages of a link say of its app. */
export interface LinkedApp {
  readonly name: string;
  readonly urlScheme: string | null;
  readonly androidPackage: string | null;
  /** Whether the landing page on iOS offers to copy a token by which the app finds its click. */
  readonly clipboardToken: boolean;
}

/** Also of codes that customers choose: those that are made up have eight characters. */
export const SHORT_CODE_PATTERN = '^[A-Za-z0-9_-]{3,64}$';
const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

/** By its form alone. */
export function isShortCode(text: string): boolean {
  return SHORT_CODE.test(text);
}

/** From the very millisecond on; never where the link has no end. */
export function isExpired(link: ResolvedLink, nowMs: number): boolean {
  return link.expiresAtMs !== null && link.expiresAtMs <= nowMs;
}

/** What stands before a short code, and tells its address from every other. */
export const SHORT_LINK_PATH = '/l/';

/** @param base of the app's short links. */
export function shortUrlOf(base: string, { short_code: code }: Pick<LinkRow, 'short_code'>): string {
  return `${base}${SHORT_LINK_PATH}${code}`;
}

/** The payload an app opens its screen with. */
export function deepLinkPayload(
  { deepLinkPath, deepLinkParamsText }: Pick<ResolvedLink, 'deepLinkPath' | 'deepLinkParamsText'>,
  isDeferred: boolean,
): { deepLinkPath: string; deepLinkParams: Record<string, unknown>; isDeferred: boolean } {
  return { deepLinkPath, deepLinkParams: JSON.parse(deepLinkParamsText), isDeferred };
}
