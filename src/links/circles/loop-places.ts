import {
  type HostDirectory,
  hostNameOf,
  isReservedPath,
  type RefuseLoops,
  sharedHostsOf,
} from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isShortCode, type ResolvedLink } from '../link.ts';
import { prefixOf, readAddressBelow, SHORT_LINK_PATH } from '../look-up/link-address.ts';
import type { LinkDirectory } from '../look-up/link-directory.ts';

export interface LoopDeps extends Pick<Foundation, 'config'> {
  readonly hostDirectory: Pick<HostDirectory, 'ownerOf'>;
  readonly linkDirectory: LinkDirectory;
}

/** What an app will have after a change, in place of what it has. */
export type ChangedApp = Parameters<RefuseLoops>[0];

/** An address of the service where a link may be. */
export interface Place {
  /** As people write it: `/l/CODE`, `/summer` or `/`. */
  readonly path: string;
  /** At the root of an app's own host; null at a short code. */
  readonly ownPath: { readonly appId: string; readonly path: string } | null;
  /** The short code asked for, or that of the link at the path. */
  readonly code: string | null;
  readonly link: ResolvedLink | null;
  /** Whether the link answers there: at the host of an app, codes of other apps are unknown. */
  readonly isHere: boolean;
  /** Where the app of the host leads if there is no link. */
  readonly otherwise: { readonly setting: 'rootUrl' | 'notFoundUrl'; readonly address: string | null } | null;
}

/** Null for an address at which the service has no links. */
export type PlaceFinder = (address: string | null, changed: ChangedApp | null) => Promise<Place | null>;

/** Whatever scheme and port: a host has one service for its short links. */
export function createPlaceFinder({ config, hostDirectory, linkDirectory }: LoopDeps): PlaceFinder {
  const bases = [config.shortLinkUrl, config.publicUrl];
  const sharedHosts = sharedHostsOf(config);
  // A proxy may add the path of the base address.
  const prefixes = [...bases.map(prefixOf), ''];

  async function ownerOf(host: string, changed: ChangedApp | null): Promise<string | undefined> {
    if (changed !== null && changed.ownHost === host) return changed.appId;
    const owner = await hostDirectory.ownerOf(host);
    return owner === changed?.appId ? undefined : owner;
  }

  async function otherwiseAt(appId: string, isRoot: boolean, changed: ChangedApp | null) {
    const setting = isRoot ? 'rootUrl' : 'notFoundUrl';
    const settings = changed?.appId === appId ? changed : await linkDirectory.settingsOf(appId);
    return { setting, address: settings?.[setting] ?? null } as const;
  }

  return async (address, changed) => {
    const url = address === null ? null : URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    const host = hostNameOf(url.hostname);
    const owner = await ownerOf(host, changed);
    if (owner === undefined && !sharedHosts.includes(host)) return null;
    const at = readAddressBelow(prefixes, url.pathname);
    if (at?.kind === 'code') {
      const link = isShortCode(at.code) ? await linkDirectory.resolve(at.code) : null;
      const isHere = link !== null && (owner === undefined || owner === link.appId);
      const otherwise = owner === undefined ? null : await otherwiseAt(owner, false, changed);
      return { path: SHORT_LINK_PATH + at.code, ownPath: null, code: at.code, link, isHere, otherwise };
    }
    if (owner === undefined || at?.kind !== 'path' || isReservedPath(at.path)) return null;
    const { path } = at;
    // A long link leads where its own parameters say.
    if (path === '' && url.searchParams.has('link')) return null;
    const found = path === '' ? null : await linkDirectory.resolvePath(owner, path);
    const link = found?.link ?? null;
    return {
      ...{ path: `/${path}`, ownPath: { appId: owner, path }, code: link?.shortCode ?? null, link },
      isHere: link !== null,
      otherwise: await otherwiseAt(owner, path === '', changed),
    };
  };
}
