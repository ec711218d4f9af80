import type { AppDirectory, AppRow } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import {
  decodeShortCode,
  isExpired,
  type LinkDirectory,
  type ResolvedLink,
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
  }: { clock: Clock; config: Config; appDirectory: AppDirectory; linkDirectory: LinkDirectory },
  { actor, input }: { actor: Actor; input: ResolveDeepLinkInput },
): Promise<ResolvedLink> {
  const code =
    input.shortCode || codeInUrl({ config }, await appDirectory.get(actor.appId), input.url || null);
  const link = await linkDirectory.resolve(code);
  if (link === null || link.appId !== actor.appId) throw new AppError('link.not_found');
  // A debug build opens every link of its app, another build only live links.
  const isDebugBuild = actor.mode === 'test' || input.debugBuild === true;
  if (link.sandbox && !isDebugBuild) throw new AppError('link.not_found');
  if (isExpired(link, clock.nowMs())) throw new AppError('link.expired');
  return link;
}

function codeInUrl(
  { config }: { config: Config },
  { short_link_host: ownHost }: AppRow,
  text: string | null,
): string {
  if (text === null) throw new AppError('request.invalid', { message: 'url or shortCode is required.' });
  const url = URL.parse(text);
  if (url === null)
    throw new AppError('request.invalid', { message: 'url must be the address of a short link.' });
  const shared = [config.shortLinkUrl, config.publicUrl].map((base) => new URL(base).host + linkPath(base));
  // The app's own host matches on any port.
  const own = ownHost === null ? [] : [ownHost + linkPath(config.shortLinkUrl)];
  const code = codeAfter(own, url.hostname + url.pathname) ?? codeAfter(shared, url.host + url.pathname);
  if (code !== null) return decodeShortCode(code);
  const prefixes = [...new Set([...own, ...shared])].join(' or ');
  const settings = `${ownHost === null ? '' : 'shortLinkHost, '}SHORT_LINK_URL, PUBLIC_URL`;
  throw new AppError('link.not_found', {
    message: `url is no short link of this service. Send one that begins with ${prefixes} (${settings}).`,
  });
}

function linkPath(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, '') + SHORT_LINK_PATH;
}

function codeAfter(prefixes: readonly string[], address: string): string | null {
  const prefix = prefixes.find((each) => address.startsWith(each));
  return prefix === undefined ? null : (/^([^/]+)\/?$/.exec(address.slice(prefix.length))?.[1] ?? null);
}
