import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND_MS } from '../clock.ts';
import { OutgoingError } from './failure.ts';
import { isLocalhost, isPublic, localhostAddresses, type Networks, NOT_PUBLIC } from './target.ts';

/** For the first try; the second takes twice as long. */
const DNS_TIMEOUT_MS = 2 * SECOND_MS;

/** Every IP address of a host name. Rejects, or gives none, when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Resolves names for `net.connect`, which connects to what is given here and asks nobody again: a name cannot lead to
 * one address when it is looked over and to another when it is called.
 */
export function vettedLookup(allowed: Networks, resolve: Resolve = resolverFor(allowed)): LookupFunction {
  return (name, _options, callback) => {
    vettedAddresses(name, allowed, resolve).then(
      (addresses) => callback(null, addresses.map(withFamily)),
      (error: Error) => callback(error, []),
    );
  };
}

/** One private answer refuses them all: which of them would be called is not ours to choose. */
async function vettedAddresses(
  name: string,
  allowed: Networks,
  resolve: Resolve,
): Promise<readonly string[]> {
  if (isLocalhost(name)) return localhostAddresses(allowed);
  const addresses = await resolve(name).catch(() => []);
  if (addresses.length === 0) throw new OutgoingError('dns', `The name ${name} could not be resolved.`);
  if (!addresses.every((address) => isPublic(address, allowed)))
    throw new OutgoingError('refused_target', `The address ${NOT_PUBLIC}.`);
  return addresses;
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) };
}

/** Names that only this machine knows lead to private addresses, so they are of use only where some are allowed. */
function resolverFor(allowed: Networks): Resolve {
  return allowed.length > 0 ? askMachine : askNameServers;
}

/** As every program here does, with the hosts file and search domains. */
const askMachine: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Only by DNS. The system's own call has two threads for the whole process: a few names whose servers never answer would
 * hold up everybody's. The resolver is new each time, so that it follows a change of the machine's name servers.
 */
export async function askNameServers(
  name: string,
  resolver: Resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 }),
): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
