/** Addresses in place of a network's own: `baseUrl`, which types declare that can be self-hosted. */
import { type parseNetworks, refusalOf } from '../../lib/outgoing/index.ts';
import type { AnyType, Config } from './destination.ts';

const BASE_URL = 'baseUrl';

export function declaresBaseUrl({ config }: AnyType): boolean {
  return BASE_URL in config.properties;
}

/** What the type's own schema does not know; see `problemOfBaseUrl`. */
export function withoutForeignBaseUrl(
  type: AnyType,
  config: Config,
): { own: Config; baseUrl: string | null } {
  const { [BASE_URL]: baseUrl, ...others } = config;
  if (declaresBaseUrl(type) || baseUrl === undefined || baseUrl === null)
    return { own: config, baseUrl: null };
  return { own: others, baseUrl: String(baseUrl) };
}

/** Of any other type: only an address in a network that whoever runs the service allows, as for a stand-in of the network. */
export function problemOfBaseUrl(
  type: AnyType,
  baseUrl: string,
  allowed: ReturnType<typeof parseNetworks>,
): string | null {
  const isAllowed = refusalOf(baseUrl, []) !== null && refusalOf(baseUrl, allowed) === null;
  if (isAllowed && new URL(baseUrl).pathname === '/') return null;
  return `config.baseUrl is not taken by ${type.title}, except an address without a path, whose host is an IP address in a network of WEBHOOK_ALLOW_CIDRS. Leave it out.`;
}

/** @param url of the call. */
export function toAddress(type: AnyType, config: Config, url: string): string {
  const { baseUrl } = withoutForeignBaseUrl(type, config);
  if (baseUrl === null) return url;
  const { pathname, search } = new URL(url);
  return `${new URL(baseUrl).origin}${pathname}${search}`;
}
