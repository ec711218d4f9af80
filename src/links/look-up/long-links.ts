import { type HostDirectory, reviseLinks, sharedHostsOf } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import type { ResolvedLink } from '../link.ts';
import { deleteShortCodes, insertLinks, insertShortCodes } from '../queries.ts';
import { makeCode, UNSET_COLUMNS } from '../store-links.ts';
import type { LinkDirectory } from './link-directory.ts';
import { type LongLink, queryToStore, readLongLink, restOf } from './read-long-link.ts';

interface LongLinksDeps extends Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'> {
  readonly hostDirectory: Pick<HostDirectory, 'ownerOf'>;
  readonly linkDirectory: LinkDirectory;
}

/** A long link, as taps and apps have it. */
export interface FoundLongLink {
  /** The root link of the app with what the long link says. */
  readonly link: ResolvedLink;
  /** Parameters that it carries on. */
  readonly query: ReadonlyMap<string, string>;
  /** What its click keeps: attribution makes the same payload of it and the stored root link. */
  readonly stored: { readonly rest: string | null; readonly query: ReadonlyMap<string, string> };
}

export interface LongLinks {
  /** Null if the app has no such link: it leads elsewhere, or the app does not take long links. */
  find(appId: string, url: URL): Promise<FoundLongLink | null>;
}

/** Of the root link: everything that a tap carries. */
const PASS_ALL = ['*'];
const ROOT_PATH = '';

/**
 * All long links of an app are one stored link, at the root of its host: the address has all the rest. A row for each would
 * repeat it, and let anybody who can write an address fill the table.
 */
export function createLongLinks(deps: LongLinksDeps): LongLinks {
  const { config, hostDirectory, linkDirectory } = deps;
  const sharedHosts = sharedHostsOf(config);

  /** Firebase forbids a long link to another one; here it would be a circle. */
  async function leadsBack({ hosts }: LongLink): Promise<boolean> {
    const owners = await Promise.all(hosts.map((host) => hostDirectory.ownerOf(host)));
    return owners.some((owner) => owner !== undefined) || hosts.some((host) => sharedHosts.includes(host));
  }

  const findRoot = async (appId: string) => (await linkDirectory.resolvePath(appId, ROOT_PATH))?.link ?? null;

  async function makeRoot(appId: string): Promise<ResolvedLink | null> {
    const id = deps.ids.next();
    const shortCode = makeCode();
    await storeRoot(deps, { appId, id, shortCode });
    linkDirectory.invalidate({ appId, id, shortCode });
    return await findRoot(appId);
  }

  return {
    async find(appId, url) {
      const settings = await linkDirectory.settingsOf(appId);
      const long = settings === null ? null : readLongLink(url.search, settings);
      if (long === null || (await leadsBack(long))) return null;
      const root = (await findRoot(appId)) ?? (await makeRoot(appId));
      if (root === null) return null;
      const { others: query, hosts: _, deepLinkParams, ...says } = long;
      const link: ResolvedLink = {
        ...root,
        ...says,
        campaignId: says.campaignId ?? root.campaignId,
        shortUrl: `${root.shortUrl}${url.search}`,
        deepLinkParamsText: JSON.stringify(deepLinkParams),
        ...{ rules: [], passQuery: PASS_ALL },
      };
      return { link, query, stored: { rest: restOf(long), query: queryToStore(long) } };
    },
  };
}

async function storeRoot(
  { db, clock }: Pick<LongLinksDeps, 'db' | 'clock'>,
  { appId, id, shortCode }: { appId: string; id: string; shortCode: string },
): Promise<void> {
  const now = isoTime(clock.nowMs());
  await db.transaction().execute(async (tx) => {
    const free = await insertShortCodes(tx, appId, new Map([[shortCode, id]]));
    if (!free.has(shortCode)) throw new Error('the generated short code of a root link is taken');
    const [made] = await insertLinks(tx, [
      {
        ...UNSET_COLUMNS,
        ...{ app_id: appId, id, short_code: shortCode, path: ROOT_PATH, title: 'Long links of Firebase' },
        ...{ deep_link_path: '/', sandbox: 0, pass_path: 1, pass_query: JSON.stringify(PASS_ALL) },
        ...{ created_at: now, updated_at: now },
      },
    ]);
    // Another tap made it.
    if (made === undefined) await deleteShortCodes(tx, [shortCode]);
    else await reviseLinks(tx, appId);
  });
}
