import { type AppDirectory, type AppRow, hostNameOf } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import {
  isExpired,
  type LinkAddress,
  type LinkDirectory,
  prefixOf,
  type ResolvedLink,
  readAddressBelow,
  SHORT_LINK_PATH,
} from '../links/index.ts';
import type { ResolveDeepLinkInput } from './schemas.ts';

/**
 * Finds the link that opened the app.
 * @throws AppError `request.invalid`, `link.not_found`, `link.expired`.
 */
export async function findOpenedLink(
  {
    clock,
    config,
    appDirectory,
    linkDirectory,
  }: Pick<Foundation, 'clock' | 'config'> & { appDirectory: AppDirectory; linkDirectory: LinkDirectory },
  { actor, input }: { actor: Actor; input: ResolveDeepLinkInput },
): Promise<ResolvedLink> {
  const app = await appDirectory.get(actor.appId);
  const link = input.shortCode
    ? await linkDirectory.resolve(input.shortCode)
    : await linkAt({ config, linkDirectory }, app, input.url || null);
  if (link === null || link.appId !== actor.appId) throw new AppError('link.not_found');
  // A debug build opens every link of its app, another build only live links.
  const isDebugBuild = actor.mode === 'test' || input.debugBuild === true;
  if (link.sandbox && !isDebugBuild) throw new AppError('link.not_found');
  if (isExpired(link, clock.nowMs())) throw new AppError('link.expired');
  return link;
}

/** @throws AppError `request.invalid`, and `link.not_found` for an address of another service. */
async function linkAt(
  { config, linkDirectory }: Pick<Foundation, 'config'> & { linkDirectory: LinkDirectory },
  app: AppRow,
  text: string | null,
): Promise<ResolvedLink | null> {
  if (text === null) throw new AppError('request.invalid', { message: 'url or shortCode is required.' });
  const url = URL.parse(text);
  if (url === null)
    throw new AppError('request.invalid', { message: 'url must be the address of a short link.' });
  const address = addressIn({ config }, app, url);
  if (address === null) return null;
  if (address.kind === 'path') return (await linkDirectory.resolvePath(app.id, address.path))?.link ?? null;
  const link = await linkDirectory.resolve(address.code);
  return address.rest !== null && link?.passPath === false ? null : link;
}

/** @throws AppError `link.not_found` for an address that is no short link's. */
function addressIn(
  { config: { shortLinkUrl, publicUrl } }: Pick<Foundation, 'config'>,
  { short_link_host: ownHost }: AppRow,
  url: URL,
): LinkAddress | null {
  const bases = [shortLinkUrl, publicUrl];
  // The app's own host matches on any port.
  const isOwn = ownHost !== null && hostNameOf(url.hostname) === ownHost;
  const prefixes = isOwn ? [shortLinkUrl] : bases.filter((base) => new URL(base).host === url.host);
  const address = readAddressBelow(prefixes.map(prefixOf), url.pathname);
  if (address !== undefined && (isOwn || address?.kind !== 'path')) return address;
  const own = ownHost === null ? [] : [`${ownHost}${prefixOf(shortLinkUrl)}/`];
  const shared = bases.map((base) => new URL(base).host + prefixOf(base) + SHORT_LINK_PATH);
  const beginnings = [...new Set([...own, ...shared])].join(' or ');
  const settings = `${ownHost === null ? '' : 'shortLinkHost, '}SHORT_LINK_URL, PUBLIC_URL`;
  throw new AppError('link.not_found', {
    message: `url is no short link of this service. Send one that begins with ${beginnings} (${settings}).`,
  });
}
