import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Ctx } from '../ctx.ts';

/** Whether the hop at `address`, so many hops from our end, is one of our own proxies. */
type TrustedProxy = (address: string, hop: number) => boolean;

/** A number of hops means exactly that many, counted from our end: the address before them is the visitor's. */
export function trustedProxies(setting: Ctx['config']['trustProxy']): TrustedProxy | null {
  if (setting === null) return null;
  return typeof setting === 'number' ? (_address, hop) => hop < setting : proxyAddr.compile([...setting]);
}

/** The address that a request comes from, past our own proxies; undefined once its connection is gone. */
export function visitorAddresses(ctx: Ctx): (request: IncomingMessage) => string | undefined {
  const isTrusted = trustedProxies(ctx.config.trustProxy);
  return isTrusted === null
    ? (request) => request.socket.remoteAddress
    : (request) => proxyAddr(request, isTrusted);
}

/** Behind a proxy that is not declared, every visitor seems to have the proxy's address: said once. */
export function untrustedProxyWarning(ctx: Ctx): (request: IncomingMessage) => void {
  let warned = ctx.config.trustProxy !== null;
  return ({ headers }) => {
    if (warned || headers['x-forwarded-for'] === undefined) return;
    warned = true;
    ctx.log.warn(
      'X-Forwarded-For arrives but TRUST_PROXY is not set: visitors are known by the proxy’s address only',
    );
  };
}
