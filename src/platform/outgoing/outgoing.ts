import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Agent } from 'undici';
import { SECOND_MS } from '../clock.ts';
import { createConnector } from './connector.ts';
import { type Answer, Exchange } from './exchange.ts';
import { OutgoingError } from './failure.ts';
import { type Resolve, vettedLookup } from './lookup.ts';
import { type Networks, refusalOf } from './target.ts';

const IDLE_TIMEOUT_MS = 4 * SECOND_MS;
/** However long a receiver asks for. */
const MAX_IDLE_TIMEOUT_MS = 10 * SECOND_MS;

/** What is posted, and how long and how much is waited for. */
export interface OutgoingRequest {
  /** Without `host`, `content-length` and what else belongs to the connection; `accept-encoding` is `identity` unless given. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** For the whole attempt: name, connection, TLS, headers and body. */
  readonly timeoutMs: number;
  /** The body of the answer is cut here, and the connection dropped. */
  readonly maxResponseBytes: number;
  /** Ends the attempt early; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What all requests have in common. */
export interface OutgoingOptions {
  /** What may be called beside the public internet. */
  readonly allowed: Networks;
  readonly connectionsPerOrigin: number;
  /** Instead of DNS, for tests. */
  readonly resolve?: Resolve;
}

/** Calls addresses that strangers chose, public ones only unless others are allowed. */
export interface Outgoing {
  /**
   * One POST, without redirects and without a second try. Requests of one origin beyond its connections wait for one,
   * which their time includes.
   * @throws OutgoingError when there is no complete answer.
   * @throws TypeError for a header that cannot be sent; then nothing was sent.
   */
  post(url: string, request: OutgoingRequest): Promise<Answer>;
  /** Drops every connection. Attempts under way, and later ones, reject with an AbortError. */
  close(): Promise<void>;
}

/** Calls addresses that strangers name. Connections are kept for some seconds and shared by all requests of an origin. */
export function createOutgoing({ allowed, connectionsPerOrigin, resolve }: OutgoingOptions): Outgoing {
  const closing = new AbortController();
  const running = new Set<Exchange>();
  const connector = createConnector(vettedLookup(allowed, resolve));
  const agent = new Agent({
    connect: connector.connect,
    allowH2: false,
    pipelining: 1,
    connections: connectionsPerOrigin,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: MAX_IDLE_TIMEOUT_MS,
    // Each attempt has one time for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    async post(url, { headers, body, ...limits }) {
      closing.signal.throwIfAborted();
      limits.signal?.throwIfAborted();
      const request = { ...parseTarget(url, allowed), headers: checkHeaders(headers), body };
      const exchange = new Exchange(limits);
      running.add(exchange);
      agent.dispatch({ method: 'POST', ...request }, exchange);
      return await exchange.answer.finally(() => running.delete(exchange));
    },
    async close() {
      closing.abort();
      for (const exchange of running) exchange.stop(closing.signal.reason);
      await agent.destroy();
      connector.destroyAll();
    },
  };
}

/** At every call: what is allowed may have changed since the address was saved. */
function parseTarget(url: string, allowed: Networks): { origin: string; path: string } {
  const refusal = refusalOf(url, allowed);
  if (refusal !== null) throw new OutgoingError('refused_target', `The address ${refusal}.`);
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

/** What belongs to the connection. With another `Host`, even the certificate would be checked against that name. */
const NOT_THE_CALLERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** All that the agent could object to: when it does, a connection of that origin is never used again. */
function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = { 'accept-encoding': 'identity' };
  for (const [given, value] of Object.entries(headers)) {
    validateHeaderName(given);
    validateHeaderValue(given, value);
    const name = given.toLowerCase();
    if (NOT_THE_CALLERS.has(name)) throw new TypeError(`The header ${name} is not the caller's to set`);
    checked[name] = value;
  }
  return checked;
}
