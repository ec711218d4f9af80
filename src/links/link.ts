import type { Selectable } from 'kysely';
import { type Destinations, type LandingPage, shortLinkBase } from '../apps/index.ts';
import type { Config } from '../config.ts';
import type { LinksTable } from '../db/index.ts';
import { addToParams, type Parameter } from './choice/passed-parameters.ts';
import type { AppVersions, LinkRule } from './choice/rules.ts';
import { SHORT_LINK_PATH } from './look-up/link-address.ts';

export type LinkRow = Selectable<LinksTable>;

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
  readonly expiredUrl: string | null;
  readonly goneWhenExpired: boolean;
  /** In order; the first that holds wins. */
  readonly rules: readonly LinkRule[];
  readonly passQuery: readonly string[];
  /** Relative to the root of the app's own host. */
  readonly path: string | null;
  readonly passPath: boolean;
  readonly minAppVersion: AppVersions | null;
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

export function isExpired(link: ResolvedLink, nowMs: number): boolean {
  return link.expiresAtMs !== null && link.expiresAtMs <= nowMs;
}

/** Where an app's short links are. */
export interface ShortLinkBase {
  /** URL without a trailing slash. */
  readonly url: string;
  /** Whether links have their `path` there: only at a host of the app's own. */
  readonly hasPaths: boolean;
}

export function shortLinkBaseOf(config: Config, app: Parameters<typeof shortLinkBase>[1]): ShortLinkBase {
  return { url: shortLinkBase(config, app), hasPaths: app.short_link_host !== null };
}

/** The path of the link where it has one, else its short code. */
export function shortUrlOf(
  { url, hasPaths }: ShortLinkBase,
  { short_code: code, path }: Pick<LinkRow, 'short_code' | 'path'>,
): string {
  return hasPaths && path !== null ? `${url}/${path}` : `${url}${SHORT_LINK_PATH}${code}`;
}

/** Of links without a choice of their own. */
const PASS_QUERY = ['utm_*'];

/** Names of the parameters that a tap carries on; `*` at the end for any. */
export function passQueryOf({ pass_query: text }: Pick<LinkRow, 'pass_query'>): string[] {
  return text === null ? PASS_QUERY : (JSON.parse(text) as string[]);
}

export interface DeepLinkPayload {
  readonly deepLinkPath: string;
  readonly deepLinkParams: Record<string, unknown>;
  readonly isDeferred: boolean;
  /** Only of a link that has it. */
  readonly minAppVersion?: AppVersions;
}

/** What the app is told of a link, or of a link as one visitor gets it. */
export function deepLinkPayload(
  link: Pick<ResolvedLink, 'deepLinkPath' | 'deepLinkParamsText' | 'minAppVersion'> & {
    readonly passed?: readonly Parameter[];
  },
  isDeferred: boolean,
): DeepLinkPayload {
  const { deepLinkPath, minAppVersion } = link;
  return {
    deepLinkPath,
    deepLinkParams: JSON.parse(addToParams(link.deepLinkParamsText, link.passed ?? [])),
    isDeferred,
    ...(minAppVersion !== null && { minAppVersion }),
  };
}

/** Of a stored link. */
export function payloadOfRow(row: LinkRow, isDeferred: boolean): DeepLinkPayload {
  const { deep_link_path: deepLinkPath, deep_link_params: deepLinkParamsText } = row;
  return deepLinkPayload(
    { deepLinkPath, deepLinkParamsText, minAppVersion: minAppVersionOf(row) },
    isDeferred,
  );
}

export function minAppVersionOf({ min_app_version: text }: Pick<LinkRow, 'min_app_version'>) {
  return text === null ? null : (JSON.parse(text) as AppVersions);
}
