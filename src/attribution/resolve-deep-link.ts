import type { Static } from 'typebox';
import type { Actor, AppDirectory, AppRow } from '../apps/index.ts';
import { deepLinkPayload, isExpired, type LinkDirectory } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { DeepLinkPayload, ResolveDeepLinkInput } from './schemas.ts';

/**
 * The app was opened by the link itself (a Universal Link or an App Link): what is behind it. Nothing is recorded.
 * @throws AppError `request.invalid`, `link.not_found`, `link.expired`.
 */
export async function resolveDeepLink(
  ctx: Ctx & { appDirectory: AppDirectory; linkDirectory: LinkDirectory },
  { actor, input }: { actor: Actor; input: ResolveDeepLinkInput },
): Promise<Static<typeof DeepLinkPayload>> {
  const code =
    input.shortCode || codeInAddress(ctx, await ctx.appDirectory.get(actor.appId), input.url || null);
  const link = await ctx.linkDirectory.resolve(code);
  if (link === null || link.appId !== actor.appId) throw new AppError('link.not_found');
  // A debug build opens every link of its app, any other build live ones only.
  if (link.sandbox && actor.mode === 'live') throw new AppError('link.not_found');
  if (isExpired(link, ctx.clock.nowMs())) throw new AppError('link.expired');
  return deepLinkPayload(link, false);
}

function codeInAddress(ctx: Ctx, { short_link_host: ownHost }: AppRow, address: string | null): string {
  if (address === null) throw new AppError('request.invalid', { message: 'url or shortCode is required.' });
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null)
    throw new AppError('request.invalid', { message: 'url must be the address of a short link.' });
  const own = ownHost === null ? [] : [`${ownHost}${pathBefore(ctx.config.shortLinkUrl)}`];
  const ofAll = [ctx.config.shortLinkUrl, ctx.config.publicUrl].map(
    (base) => `${new URL(base).host}${pathBefore(base)}`,
  );
  // An own host counts whatever the port.
  const code =
    codeAfter(own, `${url.hostname}${url.pathname}`) ?? codeAfter(ofAll, `${url.host}${url.pathname}`);
  if (code === null) throw new AppError('link.not_found', { message: notOurs([...own, ...ofAll], ownHost) });
  return decoded(code);
}

/** What short links of a base address begin with, without the host. */
function pathBefore(base: string): string {
  return `${new URL(base).pathname.replace(/\/+$/, '')}/l/`;
}

function codeAfter(beginnings: readonly string[], place: string): string | null {
  const beginning = beginnings.find((each) => place.startsWith(each));
  return beginning === undefined ? null : (/^([^/]+)\/?$/.exec(place.slice(beginning.length))?.[1] ?? null);
}

/** As a tap reads it; nobody's code where it cannot be read. */
function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return '';
  }
}

function notOurs(beginnings: readonly string[], ownHost: string | null): string {
  const all = [...new Set(beginnings)].join(' or ');
  const settings = `${ownHost === null ? '' : 'shortLinkHost, '}SHORT_LINK_URL, PUBLIC_URL`;
  return `url is no short link of this service. Send one that begins with ${all} (${settings}).`;
}
