import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [base: Address, prefixBits: number];

export type Networks = readonly Network[];

export const NOT_PUBLIC = 'must not lead to a private, loopback, link-local or reserved address';

/**
 * The reason why a URL must not be called, to follow “The address …”; null if there is none. A host name is checked again
 * when it is resolved, for each connection.
 */
export function refusalOf(url: string, allowed: Networks): string | null {
  const target = URL.canParse(url) ? new URL(url) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) return 'must be an http or https address';
  if (target.username !== '' || target.password !== '') return 'must not hold a user name or password';
  // `URL` has normalized `127.1`, `0x7f000001`, full-width digits and the like.
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (/^\.*$/.test(host)) return 'must name a host';
  if (isLocalhost(host)) return localhostAddresses(allowed).length > 0 ? null : NOT_PUBLIC;
  return isIP(host) === 0 || isPublic(host, allowed) ? null : NOT_PUBLIC;
}

/** The least networks that would allow the address of a URL whose host is `NOT_PUBLIC` as written. */
export function networksOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isLocalhost(host) ? LOCALHOST : [host];
  return addresses.map((address) => `${address}/${isIP(address) === 6 ? 128 : 32}`).join(',');
}

const LOCALHOST = ['127.0.0.1', '::1'];

/** `localhost` and its subdomains (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.*$/i.test(name);
}

/** The allowed addresses of `localhost`. */
export function localhostAddresses(allowed: Networks): string[] {
  return LOCALHOST.filter((address) => isPublic(address, allowed));
}

/** Whether an IP address is public or in an allowed network. IPv4-mapped IPv6 counts as IPv4. False for an invalid address. */
export function isPublic(address: string, allowed: Networks): boolean {
  // An address with a zone is link-local.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const ip = ipaddr.process(address);
  return isGlobalUnicast(ip) || allowed.some((network) => contains(network, ip));
}

/** All of IPv6 that is allocated to the internet. */
const GLOBAL_IPV6: Network = ipaddr.parseCIDR('2000::/3');
/** A public address that serves a virtual machine's certificates and settings inside Azure. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** ipaddr.js reports `unicast` for unknown ranges, such as `::/96`. */
function isGlobalUnicast(ip: Address): boolean {
  if (ip.range() !== 'unicast') return false;
  if (ip.kind() === 'ipv4') return ip.toString() !== AZURE_WIRE_SERVER;
  return contains(GLOBAL_IPV6, ip);
}

function contains([base, prefixBits]: Network, ip: Address): boolean {
  return base.kind() === ip.kind() && ip.match(base, prefixBits);
}

/** @param texts CIDRs such as `10.0.0.0/8`, or single addresses. @throws Error that names the first invalid one. */
export function parseNetworks(texts: readonly string[]): Networks {
  return texts.map((text) => {
    const [address = ''] = text.split('/', 1);
    const cidr = text === address ? `${text}/${isIP(text) === 6 ? 128 : 32}` : text;
    // ipaddr.js reads `10/8` as 0.0.0.10/8.
    if (isIP(address) === 0 || address.includes('%') || !ipaddr.isValidCIDR(cidr))
      throw new Error(`Invalid network “${text}”: use CIDR form, such as 10.0.0.0/8`);
    return unmapped(ipaddr.parseCIDR(cidr));
  });
}

/** IPv4-mapped addresses are unmapped before they are compared; so are networks. */
function unmapped([base, prefixBits]: Network): Network {
  if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && prefixBits >= 96)
    return [base.toIPv4Address(), prefixBits - 96];
  return [base, prefixBits];
}
