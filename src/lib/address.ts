import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The stable part of a client's IP address: IPv4 whole, IPv6 cut to its /64 (phones change the lower half), IPv4-mapped
 * IPv6 as IPv4. Brackets, a zone and a port are dropped. Null for an invalid or missing address.
 */
export function normaliseAddress(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isIPv4(text)) return text;
  const network = PLAIN_IPV6.exec(text)?.[1];
  if (network !== undefined && isIPv6(text)) return `${network}::/64`;
  const bare = stripPort(text.trim());
  if (isIP(bare) === 0) return null;
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Canonical form, the common case: the /64 is a prefix. */
const PLAIN_IPV6 = /^([1-9a-f][0-9a-f]{0,3}(?::(?:0|[1-9a-f][0-9a-f]{0,3})){3}):[0-9a-f:]+$/;

/** Some proxies append the client's port: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function stripPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const withoutPort = bracketed ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return withoutPort.replace(/%.*$/s, '');
}
