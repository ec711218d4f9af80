import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Platform, readPlatform } from '../devices/index.ts';
import type { VisitorKind } from '../platform/db/index.ts';
import { cut } from '../platform/text.ts';
import { type InAppBrowser, inAppBrowserIn } from './in-app-browsers.ts';
import { MACHINES, type MachineName, machineIn, unknownMachineIn } from './machines.ts';

/** What decided the kind: the method, a header by its name, or what the user agent calls itself. */
type VisitorReason =
  | 'method'
  | PrefetchHeader
  | EmbeddedHeader
  | `user-agent:${MachineName | 'browser' | 'in-app-browser'}`;

/** Who hits a link, as far as the request says. */
export interface Visitor {
  readonly kind: VisitorKind;
  readonly reason: VisitorReason;
  readonly platform: Platform | null;
  /** The app whose own browser it is; null for a browser proper, and for what is none. */
  readonly inApp: InAppBrowser | null;
}

/**
 * Only humans are counted. Humans and tools (`curl`, HTTP libraries: that is how people try the service) make clicks that
 * can be claimed; the others are recorded and never claimed.
 */
export const CLAIMABLE_VISITORS: readonly VisitorKind[] = ['human', 'tool'];

/** Browsers that load a page before anybody taps it say so in one of these. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
/** Facebook's app sends it with what it fetches by itself, ahead of the browser inside it. */
const FACEBOOK_HEADER = 'x-fb-http-engine';
type PrefetchHeader = (typeof PREFETCH_HEADERS)[number] | typeof FACEBOOK_HEADER;

/**
 * Fetch Metadata: anything but `document` and `navigate` is a request that a page makes by itself, such as an image, a
 * frame or a `fetch`. Scripts cannot set these headers. https://www.w3.org/TR/fetch-metadata/
 */
const EMBEDDED_HEADERS = ['sec-fetch-dest', 'sec-fetch-mode'] as const;
type EmbeddedHeader = (typeof EMBEDDED_HEADERS)[number];

/** All there are. */
export const VISITOR_REASONS: readonly VisitorReason[] = [
  'method',
  ...PREFETCH_HEADERS,
  FACEBOOK_HEADER,
  ...EMBEDDED_HEADERS,
  'user-agent:browser',
  'user-agent:in-app-browser',
  ...MACHINES.map(({ name }) => `user-agent:${name}` as const),
];

/** Decided by method and headers alone: a hit has nothing else. */
export function classifyVisitor(method: string | undefined, headers: IncomingHttpHeaders): Visitor {
  const visitor = visitorOf(headers['user-agent'] ?? '');
  if (method === 'HEAD') return { ...visitor, kind: 'head', reason: 'method' };
  const prefetch = prefetchHeaderIn(headers);
  if (prefetch !== null) return { ...visitor, kind: 'prefetch', reason: prefetch };
  // Machines stay what they say they are, whatever they embed.
  const embedded = visitor.kind === 'human' ? embeddedHeaderIn(headers) : null;
  return embedded === null ? visitor : { ...visitor, kind: 'embedded', reason: embedded };
}

/** A user agent is cut here before anything looks at it. */
export const MAX_USER_AGENT_CHARACTERS = 1_024;

/** Few user agents make most of the traffic, and looking one over takes longer than all else about a hit. */
const known = new LRUCache<string, Visitor>({ max: 20_000 });

function visitorOf(header: string): Visitor {
  const userAgent = cut(header, MAX_USER_AGENT_CHARACTERS);
  let visitor = known.get(userAgent);
  if (visitor === undefined) {
    visitor = { ...whoIs(userAgent), platform: readPlatform(userAgent) };
    known.set(userAgent, visitor);
  }
  return visitor;
}

function whoIs(userAgent: string): Pick<Visitor, 'kind' | 'reason' | 'inApp'> {
  const inApp = inAppBrowserIn(userAgent);
  // An app that is known says so much about itself that it may look like a machine nobody knows.
  const isKnownApp = inApp !== null && inApp !== 'webview';
  const machine = machineIn(userAgent) ?? (isKnownApp ? null : unknownMachineIn(userAgent, inApp !== null));
  if (machine !== null) return { kind: machine.kind, reason: `user-agent:${machine.name}`, inApp: null };
  const human = inApp === null ? 'browser' : 'in-app-browser';
  return { kind: 'human', reason: `user-agent:${human}`, inApp };
}

function prefetchHeaderIn(headers: IncomingHttpHeaders): PrefetchHeader | null {
  for (const name of PREFETCH_HEADERS) {
    const purpose = headers[name];
    if (purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose))) return name;
  }
  return headers[FACEBOOK_HEADER] === undefined ? null : FACEBOOK_HEADER;
}

function embeddedHeaderIn(headers: IncomingHttpHeaders): EmbeddedHeader | null {
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode } = headers;
  if (destination !== undefined && tokenOf(destination) !== 'document') return 'sec-fetch-dest';
  if (mode === undefined || tokenOf(mode) === 'navigate') return null;
  // Node's `fetch` sends this mode and no destination, under whatever user agent; browsers send both.
  return destination === undefined && mode === 'cors' ? null : 'sec-fetch-mode';
}

/** Tokens are case-sensitive; parameters, which structured fields allow, are ignored (RFC 9651, section 2). */
function tokenOf(header: string): string {
  const end = header.indexOf(';');
  return end === -1 ? header : header.slice(0, end).trimEnd();
}
