import { type Destinations, type HostDirectory, hostNameOf } from '../apps/index.ts';
import type { Platform } from '../devices/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { allExitsOf, type ExitFields, exitsOf } from './exits.ts';
import { decodeShortCode, type ResolvedLink } from './link.ts';
import { SHORT_LINK_PATH } from './link-address.ts';
import type { LinkDirectory } from './link-directory.ts';

/** Browsers end a chain of 20 redirects as one that never ends (https://fetch.spec.whatwg.org/#http-redirect-fetch). */
const MAX_LINKS = 20;
const PLATFORMS: readonly (Platform | null)[] = ['IOS', 'ANDROID', null];

/** A link on the way of a visitor. */
interface Stop extends ExitFields {
  readonly appId: string;
  /** Null for a generated code, to which no link can lead yet. */
  readonly shortCode: string | null;
}

export interface Loop {
  /** As in `Exit`. */
  readonly field: string;
  /** From the link to itself, or to where the chain is too long. */
  readonly codes: readonly string[];
}

export interface UnknownLink {
  readonly field: string;
  readonly code: string;
}

/** Finds links that lead to themselves, directly or over other links of the service. */
export interface LoopFinder {
  find(start: Stop): Promise<Loop | null>;
  /** @throws AppError `request.invalid` that names the destination. */
  refuse(start: Stop): Promise<void>;
  /** Refuses a link's new destinations if they make a circle that it does not have. @throws AppError `request.invalid`. */
  refuseChange(before: Stop, after: Stop): Promise<void>;
  /** Whether a destination is a short link's address, of whatever link. */
  leadsToLinks(start: Stop): Promise<boolean>;
  /** The destinations at which the service has no link. */
  findUnknown(start: Stop): Promise<readonly UnknownLink[]>;
  /** For new defaults of an app: refuses them if they lead to a link that has them. @throws AppError `request.invalid`. */
  refuseDefaults(appId: string, defaults: Required<Destinations>): Promise<void>;
}

/** Of one search; rules may lead to many. */
const MAX_WALKED = 500;

/** What one search is about. */
interface Walk {
  readonly start: Stop;
  /** The depths at which links were found to lead to no circle. */
  readonly walked: Map<string, number>;
  /** Of the app of `start`, in place of those that it has; null to leave them. */
  readonly defaults: Required<Destinations> | null;
}

interface LoopDeps extends Pick<Foundation, 'config'> {
  readonly hostDirectory: HostDirectory;
  readonly linkDirectory: LinkDirectory;
}

/** A short link's address: its code, and the link if there is one. */
interface Place {
  readonly code: string;
  readonly link: ResolvedLink | null;
  /** Whether the link answers there: at the host of an app, codes of other apps are unknown. */
  readonly isHere: boolean;
}

type PlaceFinder = (address: string | null) => Promise<Place | null>;

/** Null for another address than of a short link. Whatever scheme and port: a host has one service for its short links. */
function createPlaceFinder({ config, hostDirectory, linkDirectory }: LoopDeps): PlaceFinder {
  const places = [config.shortLinkUrl, config.publicUrl].map((base) => new URL(base));
  const sharedHosts = places.map(({ hostname }) => hostNameOf(hostname));
  const prefixes = places.map(({ pathname }) => pathname.replace(/\/+$/, ''));
  return async (address) => {
    const url = address !== null && URL.canParse(address) ? new URL(address) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    const host = hostNameOf(url.hostname);
    const owner = await hostDirectory.ownerOf(host);
    const code = owner === undefined && !sharedHosts.includes(host) ? null : codeIn(url.pathname, prefixes);
    if (code === null) return null;
    const link = await linkDirectory.resolve(code);
    return { code, link, isHere: link !== null && (owner === undefined || owner === link.appId) };
  };
}

/** Walks from link to link as a visitor of a platform does. */
function createWalker({ linkDirectory }: LoopDeps, placeOf: PlaceFinder) {
  async function follow(platform: Platform | null, walk: Walk): Promise<Loop[]> {
    const loops: Loop[] = [];
    for (const { field, address } of exitsOf(walk.start, platform)) {
      const codes = await chain(address, platform, { ...walk, passed: new Set() });
      if (codes !== null) loops.push({ field, codes });
    }
    return loops;
  }

  async function chain(
    address: string,
    platform: Platform | null,
    walk: Walk & { readonly passed: ReadonlySet<string> },
  ): Promise<readonly string[] | null> {
    const { start, passed, walked } = walk;
    const place = await placeOf(address);
    if (place === null || (place.link !== null && !place.isHere)) return null;
    const { code, link } = place;
    if (code === start.shortCode) return [code];
    // Another link's loop is found at that link, and a visitor of this one ends in it as well.
    if (passed.has(code) || passed.size >= MAX_LINKS) return [code];
    if (link === null || walked.size >= MAX_WALKED || passed.size <= (walked.get(code) ?? -1)) return null;
    const stop = await stopWith(link, walk);
    for (const exit of exitsOf(stop, platform)) {
      const rest = await chain(exit.address, platform, { ...walk, passed: new Set([...passed, code]) });
      if (rest !== null) return [code, ...rest];
    }
    walked.set(code, passed.size);
    return null;
  }

  /** With the new defaults where the link belongs to their app. */
  async function stopWith(link: ResolvedLink, { start, defaults }: Walk): Promise<Stop> {
    const row =
      defaults !== null && link.appId === start.appId
        ? await linkDirectory.find(link.appId, link.id)
        : undefined;
    if (row === undefined) return stopOf(link);
    return {
      ...stopOf(link),
      iosDestination: row.ios_destination ?? defaults?.iosDestination ?? null,
      androidDestination: row.android_destination ?? defaults?.androidDestination ?? null,
      fallbackUrl: row.fallback_url ?? defaults?.fallbackUrl ?? null,
    };
  }

  const find = async (start: Stop, defaults: Walk['defaults'] = null): Promise<Loop | null> => {
    for (const platform of PLATFORMS) {
      const [loop] = await follow(platform, { start, defaults, walked: new Map() });
      if (loop !== undefined) return loop;
    }
    return null;
  };

  /** By platform: a circle for some visitors may become one for all. */
  async function findAll(start: Stop): Promise<Map<string, Loop>> {
    const all = new Map<string, Loop>();
    for (const platform of PLATFORMS)
      for (const loop of await follow(platform, { start, defaults: null, walked: new Map() }))
        all.set(JSON.stringify([platform, loop]), loop);
    return all;
  }

  return { find, findAll };
}

export function createLoopFinder(deps: LoopDeps): LoopFinder {
  const placeOf = createPlaceFinder(deps);
  const { find, findAll } = createWalker(deps, placeOf);
  return {
    find: (start) => find(start),
    refuse: async (start) => throwIfAny(await find(start)),
    async refuseChange(before, after) {
      const [present, later] = [await findAll(before), await findAll(after)];
      throwIfAny([...later].find(([key]) => !present.has(key))?.[1] ?? null);
    },
    async leadsToLinks({ iosDestination, androidDestination, fallbackUrl }) {
      for (const address of [iosDestination, androidDestination, fallbackUrl])
        if ((await placeOf(address)) !== null) return true;
      return false;
    },
    async findUnknown(start) {
      const unknown: UnknownLink[] = [];
      for (const { field, address } of allExitsOf(start)) {
        const place = await placeOf(address);
        if (place !== null && !place.isHere) unknown.push({ field, code: place.code });
      }
      return unknown;
    },
    async refuseDefaults(appId, defaults) {
      const start = { appId, shortCode: null, ...NEVER_ENDS, ...defaults };
      throwIfAny(await find(start, defaults));
    },
  };
}

const NEVER_ENDS = { rules: [], mayExpire: false, expiredUrl: null, goneWhenExpired: false } as const;

function throwIfAny(loop: Loop | null): void {
  if (loop === null) return;
  throw new AppError('request.invalid', {
    message: `${loop.field} leads in a circle, over ${pathOf(loop)}. Set another address for it, on the link or its app.`,
  });
}

export function pathOf({ codes }: Loop): string {
  return [...new Set(codes)].map((code) => SHORT_LINK_PATH + code).join(' and ');
}

export function stopOf(link: ResolvedLink): Stop {
  return { ...link, mayExpire: link.expiresAtMs !== null };
}

/** The code in the path of a short link, as the service reads it. A proxy may add the path of the base address. */
function codeIn(pathname: string, prefixes: readonly string[]): string | null {
  for (const prefix of new Set([...prefixes, ''])) {
    const rest = pathname.startsWith(prefix) ? decodeShortCode(pathname.slice(prefix.length)) : '';
    const [, code] = /^\/l\/([^/]+)\/?$/.exec(rest) ?? [];
    if (code !== undefined) return code;
  }
  return null;
}
