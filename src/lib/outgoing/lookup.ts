import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND_MS } from '../clock.ts';
import { OutgoingError } from './failure.ts';
import { isLocalhost, isPublic, localhostAddresses, type Networks, NOT_PUBLIC } from './target.ts';

/** Of the first try; the second takes twice as long. */
const DNS_TIMEOUT_MS = 2 * SECOND_MS;

/** All IP addresses of a host name. Rejects, or resolves to none, if it is unknown. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Resolves names for `net.connect`. The checked addresses are the ones it connects to, which prevents DNS rebinding. */
export function vettedLookup(allowed: Networks, resolve: Resolve = resolverFor(allowed)): LookupFunction {
  return (name, _options, callback) => {
    vettedAddresses(name, allowed, resolve).then(
      (addresses) => callback(null, addresses.map(withFamily)),
      (error: Error) => callback(error, []),
    );
  };
}

/** One private address refuses the name: Node chooses which address it connects to. */
async function vettedAddresses(
  name: string,
  allowed: Networks,
  resolve: Resolve,
): Promise<readonly string[]> {
  if (isLocalhost(name)) return localhostAddresses(allowed);
  const addresses = await resolve(name).catch(() => []);
  if (addresses.length === 0) throw new OutgoingError('dns', `Failed to resolve ${name}.`);
  if (!addresses.every((address) => isPublic(address, allowed)))
    throw new OutgoingError('refused_target', `The address ${NOT_PUBLIC}.`);
  return addresses;
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) };
}

/** Local names have private addresses, so they are of use only if some are allowed. */
function resolverFor(allowed: Networks): Resolve {
  return allowed.length > 0 ? resolveWithSystem : resolveWithDns;
}

/** Includes the hosts file and search domains. */
const resolveWithSystem: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * DNS only: the system call shares a small thread pool, which a few silent name servers would block. A new resolver each
 * time follows changes of the machine's name servers.
 */
export async function resolveWithDns(
  name: string,
  resolver: Resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 }),
): Promise<string[]> {
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}
