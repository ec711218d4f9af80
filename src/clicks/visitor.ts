import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { type Platform, readUserAgent } from '../devices/index.ts';
import { cut } from '../platform/text.ts';

/**
 * What kind of visitor a hit comes from. Only humans are counted. Humans and tools (`curl`, HTTP libraries: that is how
 * people try the service) make clicks that can be claimed; the others are recorded and never claimed.
 */
export type VisitorKind = 'human' | 'tool' | 'crawler' | 'preview' | 'prefetch' | 'head';

export interface Visitor {
  readonly kind: VisitorKind;
  readonly platform: Platform | null;
}

export const CLAIMABLE_VISITORS: readonly VisitorKind[] = ['human', 'tool'];

/** Decided by method and headers alone: a hit has nothing else. */
export function classifyVisitor(method: string | undefined, headers: IncomingHttpHeaders): Visitor {
  const traits = traitsOf(headers['user-agent'] ?? '');
  if (method === 'HEAD') return { ...traits, kind: 'head' };
  if (isPrefetch(headers)) return { ...traits, kind: 'prefetch' };
  return traits;
}

/** A user agent is cut here before anything looks at it. */
export const MAX_USER_AGENT_CHARACTERS = 1_024;

/** Few user agents make most of the traffic, and looking one over takes longer than all else about a hit. */
const known = new LRUCache<string, Visitor>({ max: 20_000 });

function traitsOf(header: string): Visitor {
  const userAgent = cut(header, MAX_USER_AGENT_CHARACTERS);
  let traits = known.get(userAgent);
  if (traits === undefined) {
    traits = { kind: kindOf(userAgent), platform: readUserAgent(userAgent).platform };
    known.set(userAgent, traits);
  }
  return traits;
}

/** Clients that fetch for a program or a person at a terminal. `isbot` takes some of them for crawlers. */
const TOOL =
  /^(curl|wget|httpie|xh|python|aiohttp|httpx|go-http-client|go-resty|java|okhttp|apache-httpclient|axios|node|undici|got|deno|bun|postman|insomnia|ruby|faraday|php|guzzle|libwww|lwp|perl|dart|reqwest|hyper|k6|apachebench|wrk|autocannon)|cfnetwork\//i;
/** Fetchers that draw a card for a link in a chat. */
const PREVIEW =
  /facebookexternalhit|facebot|slackbot|slack-imgproxy|whatsapp\/|telegrambot|twitterbot|linkedinbot|discordbot|skypeuripreview|microsoftpreview|msteams|pinterestbot|redditbot|viber|vkshare|embedly|iframely|bluesky|mastodon|googlemessages/i;

function kindOf(userAgent: string): VisitorKind {
  // A browser always names itself.
  if (userAgent === '' || TOOL.test(userAgent)) return 'tool';
  if (PREVIEW.test(userAgent)) return 'preview';
  return isbot(userAgent) ? 'crawler' : 'human';
}

/** Browsers that load a page before anybody taps it say so in one of these. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? headers['x-moz'];
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose));
}
