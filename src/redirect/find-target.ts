import type { HostDirectory } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import type { FoundLink, FoundLongLink, LinkDirectory, LongLinks } from '../links/index.ts';
import type { Tap } from './routes.ts';

interface TargetDeps {
  readonly hostDirectory: Pick<HostDirectory, 'ownerOf'>;
  readonly linkDirectory: LinkDirectory;
  readonly longLinks: LongLinks;
}

/** A link, with what its click is to keep where that differs from the request. */
interface LinkTarget extends FoundLink {
  readonly long?: Pick<FoundLongLink, 'query' | 'stored'>;
}

/** What a tap leads to: a link, or without one the address that the app of the host has for such requests. */
type Target = LinkTarget | { readonly link: null; readonly location: string };

/** @throws AppError `link.not_found`, also for another app's link if the request's host belongs to one app. */
export async function findTarget(deps: TargetDeps, tap: Tap): Promise<Target> {
  const { address, hostOwner, request } = tap;
  if (address?.kind === 'path' && hostOwner !== null) {
    if (address.path === '') return await findAtRoot(deps, hostOwner, request);
    const found = await deps.linkDirectory.resolvePath(hostOwner, address.path);
    return found ?? (await settingOf(deps, hostOwner, 'notFoundUrl'));
  }
  const [link, owner] = await Promise.all([
    address?.kind === 'code' ? deps.linkDirectory.resolve(address.code) : null,
    hostOwner ?? deps.hostDirectory.ownerOf(request.headers.host ?? ''),
  ]);
  const rest = address?.kind === 'code' ? address.rest : null;
  const isHere = link !== null && (owner === undefined || owner === link.appId);
  if (isHere && (rest === null || link.passPath)) return { link, rest };
  if (owner === undefined) throw new AppError('link.not_found');
  return await settingOf(deps, owner, 'notFoundUrl');
}

/** A long link that the app does not take is no link, whatever the app has for its root. */
async function findAtRoot(deps: TargetDeps, appId: string, { url = '' }: Tap['request']): Promise<Target> {
  // The host does not matter: only the query counts.
  const parsed = URL.parse(url, 'http://localhost');
  if (parsed?.searchParams.has('link')) {
    const found = await deps.longLinks.find(appId, parsed);
    if (found !== null) return { link: found.link, rest: null, long: found };
    const settings = await deps.linkDirectory.settingsOf(appId);
    if (settings?.firebaseLongLinks != null) throw new AppError('link.not_found');
  }
  return await settingOf(deps, appId, 'rootUrl');
}

async function settingOf(
  { linkDirectory }: TargetDeps,
  appId: string,
  name: 'rootUrl' | 'notFoundUrl',
): Promise<Target> {
  const location = (await linkDirectory.settingsOf(appId))?.[name] ?? null;
  if (location === null) throw new AppError('link.not_found');
  return { link: null, location: new URL(location).href };
}
