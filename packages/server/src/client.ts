import { createMethods } from './methods.ts';
import {
  debug,
  destinations,
  imports,
  links,
  numbers,
  privacy,
  records,
  sdk,
  skadnetwork,
  webhooks,
} from './resources.ts';
import type { Sending } from './send.ts';

export interface ThroughlineOptions extends Partial<Sending> {
  /** Address of the service, such as `https://links.example.com`. */
  readonly baseUrl: string;
  /** A secret key, `svc_live_…` or `svc_test_…`. */
  readonly key: string;
}

/** The operations by noun. */
export interface ThroughlineClient
  extends ReturnType<typeof records>,
    ReturnType<typeof numbers>,
    ReturnType<typeof skadnetwork> {
  readonly links: ReturnType<typeof links>;
  readonly imports: ReturnType<typeof imports>;
  readonly destinations: ReturnType<typeof destinations>;
  readonly webhooks: ReturnType<typeof webhooks>;
  readonly privacy: ReturnType<typeof privacy>;
  readonly debug: ReturnType<typeof debug>;
  /** Calls of apps, for servers that have installs and events of their own. */
  readonly sdk: ReturnType<typeof sdk>;
}

/**
 * The API of one app.
 * @throws TypeError if `baseUrl` is not an address, or `key` is no key. Methods reject with ThroughlineError.
 */
export function createThroughlineClient({
  baseUrl,
  key,
  fetch = globalThis.fetch,
  retries = 3,
  timeoutMs = 30_000,
  // A limit of a minute is waited for, one of a day is not.
  maxWaitMs = 60_000,
}: ThroughlineOptions): ThroughlineClient {
  // A header cannot have other characters.
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be a key of the app, such as svc_live_…, without spaces and line breaks.');
  const methods = createMethods({
    baseUrl: new URL(baseUrl).href,
    key,
    fetch,
    retries,
    timeoutMs,
    maxWaitMs,
  });
  return {
    links: links(methods),
    imports: imports(methods),
    ...records(methods),
    ...numbers(methods),
    destinations: destinations(methods),
    webhooks: webhooks(methods),
    ...skadnetwork(methods),
    privacy: privacy(methods),
    debug: debug(methods),
    sdk: sdk(methods),
  };
}
