import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { parseNetworks } from './outgoing/index.ts';
import { integer, listOf, refuse } from './setting-readers.ts';

export function trustProxy(value: string | null): number | readonly string[] | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return integer('TRUST_PROXY', value, 0, 0, 32);
  const networks = listOf(value);
  for (const network of networks)
    if (!isNetwork(network))
      refuse(
        'TRUST_PROXY',
        `must be a number of hops or a list of networks such as 10.0.0.0/8, not “${network}”`,
      );
  return networks;
}

/** Validated by the code that applies them. */
export function allowedNetworks(name: string, value: string | null): readonly string[] {
  const networks = value === null ? [] : listOf(value);
  for (const network of networks)
    try {
      parseNetworks([network]);
    } catch {
      refuse(name, `must be a list of networks such as 10.0.0.0/8, not “${network}”`);
    }
  return networks;
}

/** Validated by the library that applies it. */
function isNetwork(text: string): boolean {
  if (isIP(text.split('/', 1)[0] ?? '') === 0) return false;
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
