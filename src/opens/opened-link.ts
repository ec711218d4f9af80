import { type AppDirectory, type AppRow, hostNameOf } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import type { Countries } from '../lib/countries.ts';
import { withoutControls } from '../lib/text.ts';
import {
  type FoundLink,
  isExpired,
  type LinkAddress,
  type LinkDirectory,
  parseQuery,
  prefixOf,
  type RoutedLink,
  readAddressBelow,
  routeLink,
  SHORT_LINK_PATH,
  visitOfApp,
} from '../links/index.ts';
import type { ResolveDeepLinkInput } from './schemas.ts';

interface OpenedDeps extends Pick<Foundation, 'clock' | 'config' | 'ids'> {
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly countries: Countries;
}

interface Opening {
  readonly actor: Actor;
  readonly connectionAddress: string;
  readonly input: ResolveDeepLinkInput;
}

/**
 * The link that opened the app, as this device gets it.
 * @throws AppError `request.invalid`, `link.not_found`, `link.expired`.
 */
export async function findOpenedLink(deps: OpenedDeps, opening: Opening): Promise<RoutedLink> {
  const { actor, connectionAddress, input } = opening;
  const { link, rest } = await findLink(deps, opening);
  const { fingerprint, openId } = input;
  const address = actor.publishable ? connectionAddress : (fingerprint?.ipAddress ?? null);
  const visit = visitOfApp(fingerprint ?? null, {
    country: deps.countries.of(address),
    query: parseQuery(input.shortCode ? '' : (input.url ?? ''), withoutControls),
    atMs: deps.clock.nowMs(),
    id: openId?.toLowerCase() ?? deps.ids.next(),
    rest,
  });
  return routeLink(link, visit);
}

async function findLink(deps: OpenedDeps, { actor, input }: Opening): Promise<FoundLink> {
  const { clock, appDirectory, linkDirectory } = deps;
  const app = await appDirectory.get(actor.appId);
  const found = input.shortCode
    ? { link: await linkDirectory.resolve(input.shortCode), rest: null }
    : await linkAt(deps, app, input.url || null);
  const { link = null, rest = null } = found ?? {};
  if (link === null || link.appId !== actor.appId) throw new AppError('link.not_found');
  // A debug build opens every link of its app, another build only live links.
  const isDebugBuild = actor.mode === 'test' || input.debugBuild === true;
  if (link.sandbox && !isDebugBuild) throw new AppError('link.not_found');
  if (isExpired(link, clock.nowMs())) throw new AppError('link.expired');
  return { link, rest };
}

/** @throws AppError `request.invalid`, and `link.not_found` for an address of another service. */
async function linkAt(
  { config, linkDirectory }: Pick<OpenedDeps, 'config' | 'linkDirectory'>,
  app: AppRow,
  text: string | null,
): Promise<FoundLink | null> {
  if (text === null) throw new AppError('request.invalid', { message: 'url or shortCode is required.' });
  const url = URL.parse(text);
  if (url === null)
    throw new AppError('request.invalid', { message: 'url must be the address of a short link.' });
  const address = addressIn({ config }, app, url);
  if (address === null) return null;
  if (address.kind === 'path') return await linkDirectory.resolvePath(app.id, address.path);
  const { code, rest } = address;
  const link = await linkDirectory.resolve(code);
  return link === null || (rest !== null && !link.passPath) ? null : { link, rest };
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
