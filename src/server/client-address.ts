import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Config } from '../config.ts';
import type { Foundation } from '../foundation.ts';

/** Whether the hop at `address`, `hop` hops from this server, is one of the operator's proxies. */
type TrustedProxy = (address: string, hop: number) => boolean;

/** A number trusts exactly that many hops, counted from this server. */
export function trustedProxies(setting: Config['trustProxy']): TrustedProxy | null {
  if (setting === null) return null;
  return typeof setting === 'number' ? (_address, hop) => hop < setting : proxyAddr.compile([...setting]);
}

/** Returns a function that gives the client's IP address past trusted proxies; undefined once the connection is closed. */
export function clientAddresses({
  config,
}: Pick<Foundation, 'config'>): (request: IncomingMessage) => string | undefined {
  const isTrusted = trustedProxies(config.trustProxy);
  return isTrusted === null
    ? (request) => request.socket.remoteAddress
    : (request) => proxyAddr(request, isTrusted);
}

/** Logs once when `X-Forwarded-For` arrives but `TRUST_PROXY` is not set. */
export function untrustedProxyWarning({
  config,
  log,
}: Pick<Foundation, 'config' | 'log'>): (request: IncomingMessage) => void {
  let warned = config.trustProxy !== null;
  return ({ headers }) => {
    if (warned || headers['x-forwarded-for'] === undefined) return;
    warned = true;
    log.warn(
      'X-Forwarded-For arrives but TRUST_PROXY is not set: all clients appear to have the proxy’s address',
    );
  };
}
