import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [base: Address, prefixBits: number];

/** Networks that may be called although they are not public. */
export type Networks = readonly Network[];

/** The end of a sentence, as all that `refusalOf` says. */
export const NOT_PUBLIC = 'must not lead to a private, loopback, link-local or reserved address';

/**
 * Why a URL may not be called, as the end of a sentence; null when its text gives no reason. A name that passes here may
 * still lead to a private address: that is seen only when it is resolved, which is done for every connection.
 */
export function refusalOf(url: string, allowed: Networks): string | null {
  const target = URL.canParse(url) ? new URL(url) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) return 'must be an http or https address';
  if (target.username !== '' || target.password !== '') return 'must not hold a user name or password';
  // The parser has already made `127.1`, `0x7f000001`, full-width digits and their like one form.
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (/^\.*$/.test(host)) return 'must name a host';
  if (isLocalhost(host)) return localhostAddresses(allowed).length > 0 ? null : NOT_PUBLIC;
  return isIP(host) === 0 || isPublic(host, allowed) ? null : NOT_PUBLIC;
}

/** `localhost` and every name below it: by RFC 6761 these are this machine, whatever a name server says. */
export function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.*$/i.test(name);
}

/** What `localhost` stands for, as far as it may be called. */
export function localhostAddresses(allowed: Networks): string[] {
  return ['127.0.0.1', '::1'].filter((address) => isPublic(address, allowed));
}

/**
 * Whether an IP address is one of the public internet, or in an allowed network. IPv4-mapped IPv6 counts as the IPv4
 * address in it. False for what is no address.
 */
export function isPublic(address: string, allowed: Networks): boolean {
  // A zone belongs to one machine's networks.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const ip = ipaddr.process(address);
  return isGlobalUnicast(ip) || allowed.some((network) => contains(network, ip));
}

/** All of IPv6 that is given out for the internet. */
const GLOBAL_IPV6: Network = ipaddr.parseCIDR('2000::/3');
/** Public by its number, yet answered by the cloud itself: it hands out a machine's certificates and settings. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** To the library, every range it does not know is `unicast`: such as `::/96`, which holds IPv4 addresses. */
function isGlobalUnicast(ip: Address): boolean {
  if (ip.range() !== 'unicast') return false;
  if (ip.kind() === 'ipv4') return ip.toString() !== AZURE_WIRE_SERVER;
  return contains(GLOBAL_IPV6, ip);
}

function contains([base, prefixBits]: Network, ip: Address): boolean {
  return base.kind() === ip.kind() && ip.match(base, prefixBits);
}

/**
 * Networks in CIDR form, such as `10.0.0.0/8` or `::1/128`; an address alone is a network of one.
 * @throws Error that names the first text that is none.
 */
export function parseNetworks(texts: readonly string[]): Networks {
  return texts.map((text) => {
    const [address = ''] = text.split('/', 1);
    const cidr = text === address ? `${text}/${isIP(text) === 6 ? 128 : 32}` : text;
    // The library would read `10/8` as 0.0.0.10/8.
    if (isIP(address) === 0 || address.includes('%') || !ipaddr.isValidCIDR(cidr))
      throw new Error(`“${text}” is no network in CIDR form, such as 10.0.0.0/8`);
    return unmapped(ipaddr.parseCIDR(cidr));
  });
}

/** Addresses are unwrapped before they are compared; so are networks. */
function unmapped([base, prefixBits]: Network): Network {
  if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && prefixBits >= 96)
    return [base.toIPv4Address(), prefixBits - 96];
  return [base, prefixBits];
}
