import type { RefuseLoops } from '../../apps/index.ts';
import type { Platform } from '../../devices/index.ts';
import { AppError } from '../../errors.ts';
import type { ResolvedLink } from '../link.ts';
import { allExitsOf, type Exit, type ExitFields, exitsOf } from './exits.ts';
import {
  type ChangedApp,
  createPlaceFinder,
  type LoopDeps,
  type Place,
  type PlaceFinder,
} from './loop-places.ts';

/** Browsers end a chain of 20 redirects as one that never ends (https://fetch.spec.whatwg.org/#http-redirect-fetch). */
const MAX_LINKS = 20;
const PLATFORMS: readonly (Platform | null)[] = ['IOS', 'ANDROID', null];

/** A link on the way of a visitor. */
export interface Stop extends ExitFields {
  readonly appId: string;
  /** Null for a generated code, to which no link can lead yet. */
  readonly shortCode: string | null;
  readonly path: string | null;
  readonly passPath: boolean;
}

export interface Loop {
  /** As in `Exit`, or a setting of an app. */
  readonly field: string;
  /** Paths from the link to itself, or to where the chain is too long. */
  readonly over: readonly string[];
}

export interface UnknownLink {
  readonly field: string;
  /** Where there is no link. */
  readonly path: string;
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
  /**
   * Refuses new defaults of an app that lead to a link which has them, and settings of its own host that lead back to it.
   * @throws AppError `request.invalid`.
   */
  refuseApp: RefuseLoops;
}

/** Of one search; rules may lead to many. */
const MAX_WALKED = 500;

/** What one search is about. */
interface Walk {
  /** The depths at which places were found to lead to no circle. */
  readonly walked: Map<string, number>;
  /** Null for a search that begins at no link. */
  readonly start: Stop | null;
  readonly changed: ChangedApp | null;
}

/** Walks from link to link as a visitor of a platform does. */
function createWalker({ linkDirectory }: LoopDeps, placeOf: PlaceFinder) {
  async function follow(exits: readonly Exit[], platform: Platform | null, walk: Walk): Promise<Loop[]> {
    const loops: Loop[] = [];
    for (const { field, address } of exits) {
      const over = await chain(address, platform, { ...walk, passed: new Set() });
      if (over !== null) loops.push({ field, over });
    }
    return loops;
  }

  async function chain(
    address: string,
    platform: Platform | null,
    walk: Walk & { readonly passed: ReadonlySet<string> },
  ): Promise<readonly string[] | null> {
    const { start, changed, passed, walked } = walk;
    const place = await placeOf(address, changed);
    if (place === null) return null;
    const { path } = place;
    if (start !== null && isAt(start, place)) return [path];
    const hasMoved = place.ownPath !== null && start !== null && place.code === start.shortCode;
    const link = place.isHere && !hasMoved ? place.link : null;
    const key = keyOf(place, link);
    // Another link's loop is found at that link, and a visitor of this one ends in it as well.
    if (passed.has(key) || passed.size >= MAX_LINKS) return [path];
    if (walked.size >= MAX_WALKED || passed.size <= (walked.get(key) ?? -1)) return null;
    const exits = link === null ? otherwiseOf(place) : exitsOf(await stopWith(link, changed), platform);
    for (const exit of exits) {
      const rest = await chain(exit.address, platform, { ...walk, passed: new Set([...passed, key]) });
      if (rest !== null) return [path, ...rest];
    }
    walked.set(key, passed.size);
    return null;
  }

  /** With the new defaults where the link belongs to their app. */
  async function stopWith(link: ResolvedLink, changed: ChangedApp | null): Promise<Stop> {
    if (changed === null || link.appId !== changed.appId) return stopOf(link);
    const row = await linkDirectory.find(link.appId, link.id);
    if (row === undefined) return stopOf(link);
    const { defaults } = changed;
    return stopOf({
      ...link,
      iosDestination: row.ios_destination ?? defaults.iosDestination,
      androidDestination: row.android_destination ?? defaults.androidDestination,
      fallbackUrl: row.fallback_url ?? defaults.fallbackUrl,
    });
  }

  async function findFrom(
    exits: (platform: Platform | null) => readonly Exit[],
    walk: Omit<Walk, 'walked'>,
  ): Promise<Loop | null> {
    for (const platform of PLATFORMS) {
      const [loop] = await follow(exits(platform), platform, { ...walk, walked: new Map() });
      if (loop !== undefined) return loop;
    }
    return null;
  }

  /** By platform: a circle for some visitors may become one for all. */
  async function findAll(start: Stop): Promise<Map<string, Loop>> {
    const all = new Map<string, Loop>();
    for (const platform of PLATFORMS)
      for (const loop of await follow(exitsOf(start, platform), platform, {
        ...{ start, changed: null, walked: new Map() },
      }))
        all.set(JSON.stringify([platform, loop]), loop);
    return all;
  }

  const find = (start: Stop, changed: ChangedApp | null = null) =>
    findFrom((platform) => exitsOf(start, platform), { start, changed });
  return { find, findFrom, findAll };
}

export function createLoopFinder(deps: LoopDeps): LoopFinder {
  const placeOf = createPlaceFinder(deps);
  const { find, findFrom, findAll } = createWalker(deps, placeOf);
  return {
    find: (start) => find(start),
    refuse: async (start) => throwIfAny(await find(start)),
    async refuseChange(before, after) {
      const { mayExpire, goneWhenExpired } = after;
      const present = await findAll(before);
      const ended = await findAll({ ...before, mayExpire, goneWhenExpired });
      const known = new Set([...present.values()].map((loop) => JSON.stringify(loop)));
      // A link in a circle can be ended, although its end leads more visitors there.
      const isNew = ([key, loop]: [string, Loop]) =>
        !present.has(key) && !(ended.has(key) && known.has(JSON.stringify(loop)));
      throwIfAny([...(await findAll(after))].find(isNew)?.[1] ?? null);
    },
    async leadsToLinks(start) {
      for (const { address } of allExitsOf(start)) if ((await placeOf(address, null)) !== null) return true;
      return false;
    },
    async findUnknown(start) {
      const unknown: UnknownLink[] = [];
      for (const { field, address } of allExitsOf(start)) {
        const place = await placeOf(address, null);
        if (place !== null && !place.isHere && !isRootWithAddress(place))
          unknown.push({ field, path: place.path });
      }
      return unknown;
    },
    async refuseApp(app, { hasDefaults, hasHostSettings }) {
      const { appId, defaults } = app;
      if (hasDefaults) throwIfAny(await find({ ...NO_LINK, appId, ...defaults }, app));
      const exits = (['rootUrl', 'notFoundUrl'] as const).flatMap((field) => {
        const address = app[field];
        return address === null ? [] : [{ field, address }];
      });
      if (hasHostSettings) throwIfAny(await findFrom(() => exits, { start: null, changed: app }));
    },
  };
}

const NO_LINK = {
  ...{ shortCode: null, path: null, passPath: false },
  ...{ rules: [], mayExpire: false, expiredUrl: null, goneWhenExpired: false },
};

function throwIfAny(loop: Loop | null): void {
  if (loop === null) return;
  throw new AppError('request.invalid', {
    message: `${loop.field} leads in a circle, over ${pathsOf(loop)}. Set another address for it, on the link or its app.`,
  });
}

/** Each path once. */
export function pathsOf({ over }: Loop): string {
  return [...new Set(over)].join(' and ');
}

export function stopOf(link: ResolvedLink): Stop {
  return { ...link, mayExpire: link.expiresAtMs !== null };
}

/** Where the app of the host leads without a link. */
function otherwiseOf({ otherwise }: Place): Exit[] {
  return otherwise === null || otherwise.address === null
    ? []
    : [{ field: otherwise.setting, address: otherwise.address }];
}

/** Whether an address leads to the link, as it will be. */
function isAt({ appId, shortCode, path, passPath }: Stop, place: Place): boolean {
  if (place.ownPath === null) return place.code !== null && place.code === shortCode;
  if (path === null || place.ownPath.appId !== appId) return false;
  const asked = place.ownPath.path;
  if (asked === path || (passPath && asked.startsWith(`${path}/`) && !place.isHere)) return true;
  if (place.code !== null && place.code === shortCode) return passPath && asked.startsWith(`${path}/`);
  return !place.isHere && asked.toLowerCase() === path.toLowerCase();
}

function keyOf({ path, ownPath }: Place, link: ResolvedLink | null): string {
  if (link !== null) return link.shortCode;
  return ownPath === null || ownPath.path !== '' ? `? ${ownPath?.appId ?? path}` : `/ ${ownPath.appId}`;
}

function isRootWithAddress({ ownPath, otherwise }: Place): boolean {
  return ownPath?.path === '' && otherwise?.address != null;
}
