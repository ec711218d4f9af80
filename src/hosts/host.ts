/** What is looked at, and what a look says. */
import { isIP } from 'node:net';
import { type AppRow, hostNameOf, shortLinkBase } from '../apps/index.ts';
import type { Config } from '../config.ts';
import { parseNetworks, refusalOf } from '../lib/outgoing/index.ts';

/** In the order in which they depend on each other. */
export const CHECKS = [
  'dns',
  'certificate',
  'association_files',
  'apple_copy',
  'google_verdict',
  'block_lists',
] as const;
export type Check = (typeof CHECKS)[number];

export const STATES = ['ok', 'problem', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** What one look found. */
export interface Outcome {
  readonly state: State;
  /** What was found, in a sentence. */
  readonly message: string;
  /** What to do; null unless it is a problem, or the state cannot be known without a change. */
  readonly mend: string | null;
  /** How long it has to last before it is reported; five minutes without it. */
  readonly patienceMs?: number;
}

export const ok = (message: string): Outcome => ({ state: 'ok', message, mend: null });
export const unknown = (message: string, mend: string | null = null): Outcome => ({
  ...{ state: 'unknown', message, mend },
});
export const problem = (message: string, mend: string, patienceMs?: number): Outcome => ({
  ...{ state: 'problem', message, mend },
  ...(patienceMs !== undefined && { patienceMs }),
});

/** Why a host is not looked at. */
export const WATCHING = ['on', 'off', 'not_public'] as const;
export type Watching = (typeof WATCHING)[number];

export interface Place {
  /** Normalized. */
  readonly host: string;
  /** Of short links, without a trailing slash. */
  readonly baseUrl: string;
  readonly watching: Watching;
}

/** The host of an app's short links: its own, or the one that all apps share. */
export function placeOf(config: Config, app: Pick<AppRow, 'short_link_host'>): Place {
  const baseUrl = shortLinkBase(config, app);
  const host = hostNameOf(new URL(baseUrl).hostname);
  return { host, baseUrl, watching: watchingOf(config, baseUrl, host) };
}

/** Names that no public DNS has (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const PRIVATE_NAME = /(^|\.)(test|example|invalid|local|internal|lan|home\.arpa|onion)$/;

function watchingOf(config: Config, baseUrl: string, host: string): Watching {
  if (!config.watchHosts) return 'off';
  const isName = isIP(host) === 0 && host.includes('.') && !PRIVATE_NAME.test(host);
  const isReachable = refusalOf(baseUrl, parseNetworks(config.webhookAllowCidrs)) === null;
  return new URL(baseUrl).protocol === 'https:' && isName && isReachable ? 'on' : 'not_public';
}
