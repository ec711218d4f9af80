import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Agent } from 'undici';
import { type After, after as afterBySystemClock, SECOND_MS } from '../clock.ts';
import { createConnector } from './connector.ts';
import { Exchange } from './exchange.ts';
import { OutgoingError, type OutgoingResponse } from './failure.ts';
import { type Resolve, vettedLookup } from './lookup.ts';
import { type Networks, refusalOf } from './target.ts';

const IDLE_TIMEOUT_MS = 4 * SECOND_MS;
/** Overrides a longer `Keep-Alive` of the server. */
const MAX_IDLE_TIMEOUT_MS = 10 * SECOND_MS;

interface OutgoingRead {
  /** Without headers of the connection, such as `host`; `accept-encoding` defaults to `identity`. */
  readonly headers: Readonly<Record<string, string>>;
  /** In total: name, connection, TLS, headers and body. */
  readonly timeoutMs: number;
  /** A longer response body is truncated, and the connection closed. */
  readonly maxResponseBytes: number;
  /** Headers that the response has, in lower case. */
  readonly keepHeaders?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface OutgoingRequest extends OutgoingRead {
  readonly body: Buffer;
}

export interface OutgoingOptions {
  /** Networks that are allowed although not public. */
  readonly allowed: Networks;
  readonly connectionsPerOrigin: number;
  /** Replaces DNS in tests. */
  readonly resolve?: Resolve;
  /** Whether a certificate that is not valid ends the request; by default it does. */
  readonly verifiesCertificates?: boolean;
  /** For timeouts; another clock in tests. */
  readonly after?: After;
}

export interface Outgoing {
  /**
   * One POST, without redirects and retries. The timeout includes the wait for a free connection of the origin.
   * @throws OutgoingError if there is no complete response.
   * @throws TypeError for an invalid header; then nothing was sent.
   */
  post(url: string, request: OutgoingRequest): Promise<OutgoingResponse>;
  /** The same without a body, as a GET or HEAD. */
  read(method: 'GET' | 'HEAD', url: string, request: OutgoingRead): Promise<OutgoingResponse>;
  /** Closes all connections. Requests in progress, and later ones, reject with an AbortError. */
  close(): Promise<void>;
}

/** Sends to public addresses only, unless others are allowed. Keeps connections for some seconds, per origin. */
export function createOutgoing({
  allowed,
  connectionsPerOrigin,
  resolve,
  verifiesCertificates = true,
  after = afterBySystemClock,
}: OutgoingOptions): Outgoing {
  const closing = new AbortController();
  const running = new Set<Exchange>();
  const connector = createConnector(vettedLookup(allowed, resolve), { verifiesCertificates });
  const agent = new Agent({
    connect: connector.connect,
    allowH2: false,
    pipelining: 1,
    connections: connectionsPerOrigin,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: MAX_IDLE_TIMEOUT_MS,
    // `timeoutMs` covers them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const send = async (method: 'GET' | 'HEAD' | 'POST', url: string, request: OutgoingRead, body?: Buffer) => {
    const { headers, ...limits } = request;
    closing.signal.throwIfAborted();
    limits.signal?.throwIfAborted();
    const target = { ...parseTarget(url, allowed), headers: checkHeaders(headers) };
    const exchange = new Exchange({ ...limits, after });
    running.add(exchange);
    agent.dispatch({ method, ...target, ...(body && { body }) }, exchange);
    return await exchange.response.finally(() => running.delete(exchange));
  };

  return {
    post: async (url, { body, ...request }) => await send('POST', url, request, body),
    read: async (method, url, request) => await send(method, url, request),
    async close() {
      closing.abort();
      for (const exchange of running) exchange.stop(closing.signal.reason);
      await agent.destroy();
      connector.destroyAll();
    },
  };
}

/** For each request: the allowed networks may have changed since the URL was stored. */
function parseTarget(url: string, allowed: Networks): { origin: string; path: string } {
  const refusal = refusalOf(url, allowed);
  if (refusal !== null) throw new OutgoingError('refused_target', `The address ${refusal}.`);
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

/** With another `Host`, even the certificate would be checked against that name. */
const CONNECTION_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** Checked in advance: after an invalid header, undici never uses that connection again. */
function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = { 'accept-encoding': 'identity' };
  for (const [given, value] of Object.entries(headers)) {
    validateHeaderName(given);
    validateHeaderValue(given, value);
    const name = given.toLowerCase();
    if (CONNECTION_HEADERS.has(name)) throw new TypeError(`Header ${name} must not be set`);
    checked[name] = value;
  }
  return checked;
}
