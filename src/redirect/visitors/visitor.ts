import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Platform, readPlatform, withoutModel } from '../../devices/index.ts';
import { truncate } from '../../lib/text.ts';
import { findInAppBrowser, type InAppBrowser } from './in-app-browsers.ts';
import { findMachine, guessCrawler, MACHINES, type MachineName, UNKNOWN_BOT } from './machines.ts';

/** The evidence for the kind: the method, a header name, or the matching user agent. */
type VisitorReason =
  | 'method'
  | PrefetchHeader
  | EmbeddedHeader
  | `user-agent:${MachineName | 'browser' | 'in-app-browser'}`;

/** The kind of client that follows a link. */
export type VisitorKind = 'human' | 'tool' | 'crawler' | 'preview' | 'prefetch' | 'embedded' | 'head';

/** The client of a tap, as far as method and headers identify it. */
export interface Visitor {
  readonly kind: VisitorKind;
  readonly reason: VisitorReason;
  readonly platform: Platform | null;
  /** The platform of a tablet that asks for desktop pages, if the visitor may be one. */
  readonly hiddenPlatform: Platform | null;
  /** Null for a full browser, and for a machine. */
  readonly inApp: InAppBrowser | null;
}

/**
 * Kinds whose clicks are compared with installs and opens that name no click; a named click is claimed whatever its kind.
 * Tools (`curl`, HTTP libraries) are included so that a developer can try the service; only humans are counted.
 */
export const CLAIMABLE_VISITORS: readonly string[] = ['human', 'tool'];

/** Browsers send one of these when they load a page before the user taps. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
/** Facebook's app sends it with its own prefetches, but not from its in-app browser. */
const FACEBOOK_HEADER = 'x-fb-http-engine';
type PrefetchHeader = (typeof PREFETCH_HEADERS)[number] | typeof FACEBOOK_HEADER;

/**
 * Fetch Metadata: any value except `document` and `navigate` means a request made by a page, such as an image, a frame or
 * a `fetch`. Scripts cannot set these headers. https://www.w3.org/TR/fetch-metadata/
 */
const EMBEDDED_HEADERS = ['sec-fetch-dest', 'sec-fetch-mode'] as const;
type EmbeddedHeader = (typeof EMBEDDED_HEADERS)[number];

export const VISITOR_REASONS: readonly VisitorReason[] = [
  'method',
  ...PREFETCH_HEADERS,
  FACEBOOK_HEADER,
  ...EMBEDDED_HEADERS,
  'user-agent:browser',
  'user-agent:in-app-browser',
  ...MACHINES.map(({ name }) => `user-agent:${name}` as const),
];

export function classifyVisitor(method: string, headers: IncomingHttpHeaders): Visitor {
  const visitor = withPlatformHint(classifyUserAgent(headers['user-agent'] ?? ''), headers);
  if (method === 'HEAD') return { ...visitor, kind: 'head', reason: 'method' };
  const prefetch = findPrefetchHeader(headers);
  if (prefetch !== null) return { ...visitor, kind: 'prefetch', reason: prefetch };
  // A machine keeps its kind: some of them send Fetch Metadata too.
  const embedded = visitor.kind === 'human' ? findEmbeddedHeader(headers) : null;
  if (embedded !== null) return { ...visitor, kind: 'embedded', reason: embedded };
  if (visitor.reason !== 'user-agent:crawler' || !mayAcceptHtml(headers.accept)) return visitor;
  return { ...visitor, kind: UNKNOWN_BOT.kind, reason: `user-agent:${UNKNOWN_BOT.name}` };
}

/** A tablet that asks for desktop pages hides Android in its user agent only. */
function withPlatformHint(visitor: Visitor, headers: IncomingHttpHeaders): Visitor {
  if (visitor.platform !== null || headers['sec-ch-ua-platform'] !== '"Android"') return visitor;
  return { ...visitor, platform: 'ANDROID', hiddenPlatform: null };
}

/** Without the header everything is accepted (RFC 9110, section 12.5.1). */
function mayAcceptHtml(accept: string | undefined): boolean {
  return accept === undefined || /\*\/\*|text\/(?:html|\*)|application\/xhtml/i.test(accept);
}

/** Longer user agents are truncated before they are classified. */
export const MAX_USER_AGENT_CHARACTERS = 1_024;

/** Few user agents make most of the traffic, and classifying one is the slowest step of a tap. */
const cache = new LRUCache<string, Visitor>({ max: 20_000 });

function classifyUserAgent(header: string): Visitor {
  const userAgent = truncate(header, MAX_USER_AGENT_CHARACTERS);
  let visitor = cache.get(userAgent);
  if (visitor === undefined) {
    const { platform, hidden: hiddenPlatform } = readPlatform(userAgent);
    visitor = { ...kindOf(withoutModel(userAgent), platform), platform, hiddenPlatform };
    cache.set(userAgent, visitor);
  }
  return visitor;
}

function kindOf(userAgent: string, platform: Platform | null): Pick<Visitor, 'kind' | 'reason' | 'inApp'> {
  const inApp = findInAppBrowser(userAgent);
  // User agents of known apps contain words that `isbot` matches.
  const isKnownApp = inApp !== null && inApp !== 'webview';
  const isPhone = platform !== null || inApp !== null;
  const machine = findMachine(userAgent) ?? (isKnownApp ? null : guessCrawler(userAgent, isPhone));
  if (machine !== null) return { kind: machine.kind, reason: `user-agent:${machine.name}`, inApp: null };
  const human = inApp === null ? 'browser' : 'in-app-browser';
  return { kind: 'human', reason: `user-agent:${human}`, inApp };
}

function findPrefetchHeader(headers: IncomingHttpHeaders): PrefetchHeader | null {
  for (const name of PREFETCH_HEADERS) {
    const purpose = headers[name];
    if (purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose))) return name;
  }
  return headers[FACEBOOK_HEADER] === undefined ? null : FACEBOOK_HEADER;
}

function findEmbeddedHeader(headers: IncomingHttpHeaders): EmbeddedHeader | null {
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode } = headers;
  if (destination !== undefined && tokenOf(destination) !== 'document') return 'sec-fetch-dest';
  if (mode === undefined || tokenOf(mode) === 'navigate') return null;
  // Node's `fetch` sends mode `cors` without a destination; browsers send both.
  return destination === undefined && mode === 'cors' ? null : 'sec-fetch-mode';
}

/** Tokens are case-sensitive; parameters are ignored (RFC 9651, section 2). */
function tokenOf(header: string): string {
  const end = header.indexOf(';');
  return end === -1 ? header : header.slice(0, end).trimEnd();
}
