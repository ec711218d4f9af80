import type { HostDirectory } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import type { FoundLink, LinkDirectory } from '../links/index.ts';
import type { Tap } from './routes.ts';

interface TargetDeps {
  readonly hostDirectory: Pick<HostDirectory, 'ownerOf'>;
  readonly linkDirectory: LinkDirectory;
}

/** What a tap leads to: a link, or without one the address that the app of the host has for such requests. */
type Target = FoundLink | { readonly link: null; readonly location: string };

/** @throws AppError `link.not_found`, also for another app's link if the request's host belongs to one app. */
export async function findTarget(deps: TargetDeps, tap: Tap): Promise<Target> {
  const { address, hostOwner, request } = tap;
  if (address?.kind === 'path' && hostOwner !== null) {
    if (address.path === '') return await settingOf(deps, hostOwner, 'rootUrl');
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

async function settingOf(
  { linkDirectory }: TargetDeps,
  appId: string,
  name: 'rootUrl' | 'notFoundUrl',
): Promise<Target> {
  const location = (await linkDirectory.settingsOf(appId))?.[name] ?? null;
  if (location === null) throw new AppError('link.not_found');
  return { link: null, location: new URL(location).href };
}
