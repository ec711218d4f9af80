import type { AppDirectory, AppRow } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import type { Countries } from '../lib/countries.ts';
import { withoutControls } from '../lib/text.ts';
import {
  decodeShortCode,
  isExpired,
  type LinkDirectory,
  parseQuery,
  type ResolvedLink,
  type RoutedLink,
  readRest,
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
  const { link, rest } = await findLink(deps, opening);
  const { actor, connectionAddress, input } = opening;
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

async function findLink(
  { clock, config, appDirectory, linkDirectory }: OpenedDeps,
  { actor, input }: Opening,
): Promise<{ readonly link: ResolvedLink; readonly rest: string | null }> {
  const place = input.shortCode
    ? { code: input.shortCode, rest: '' }
    : placeInUrl({ config }, await appDirectory.get(actor.appId), input.url || null);
  const { code, rest } = place;
  const link = await linkDirectory.resolve(code);
  if (link === null || link.appId !== actor.appId) throw new AppError('link.not_found');
  if (rest !== '' && (rest === null || !link.passPath)) throw new AppError('link.not_found');
  // A debug build opens every link of its app, another build only live links.
  const isDebugBuild = actor.mode === 'test' || input.debugBuild === true;
  if (link.sandbox && !isDebugBuild) throw new AppError('link.not_found');
  if (isExpired(link, clock.nowMs())) throw new AppError('link.expired');
  return { link, rest };
}

/** A code, and what follows it as `readRest` reads it. */
interface Place {
  readonly code: string;
  readonly rest: string | null;
}

function placeInUrl(
  { config }: Pick<Foundation, 'config'>,
  { short_link_host: ownHost }: AppRow,
  text: string | null,
): Place {
  if (text === null) throw new AppError('request.invalid', { message: 'url or shortCode is required.' });
  const url = URL.parse(text);
  if (url === null)
    throw new AppError('request.invalid', { message: 'url must be the address of a short link.' });
  const shared = [config.shortLinkUrl, config.publicUrl].map((base) => new URL(base).host + linkPath(base));
  // The app's own host matches on any port.
  const own = ownHost === null ? [] : [ownHost + linkPath(config.shortLinkUrl)];
  const place = placeAfter(own, url.hostname + url.pathname) ?? placeAfter(shared, url.host + url.pathname);
  if (place !== null) return place;
  const prefixes = [...new Set([...own, ...shared])].join(' or ');
  const settings = `${ownHost === null ? '' : 'shortLinkHost, '}SHORT_LINK_URL, PUBLIC_URL`;
  throw new AppError('link.not_found', {
    message: `url is no short link of this service. Send one that begins with ${prefixes} (${settings}).`,
  });
}

function linkPath(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, '') + SHORT_LINK_PATH;
}

function placeAfter(prefixes: readonly string[], address: string): Place | null {
  const prefix = prefixes.find((each) => address.startsWith(each));
  const [, code, rest = ''] = /^([^/]+)(.*)$/.exec(address.slice(prefix?.length ?? 0)) ?? [];
  if (prefix === undefined || code === undefined) return null;
  return { code: decodeShortCode(code), rest: readRest(rest) };
}
