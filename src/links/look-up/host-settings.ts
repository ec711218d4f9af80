import {
  type AppRow,
  type FirebaseLongLinksSetting,
  findApp,
  firebaseLongLinksOf,
} from '../../apps/index.ts';
import type { Db } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isSettled, type LinkRevisions } from './link-revisions.ts';
import { createRevisedCache, type RevisedCache } from './revised-cache.ts';

/** Where an app's own host leads without a link. */
export interface HostSettings {
  /** Of the root. */
  readonly rootUrl: string | null;
  /** Of unknown paths and codes. */
  readonly notFoundUrl: string | null;
  readonly firebaseLongLinks: FirebaseLongLinksSetting | null;
  /** The app’s own ids in stores, where it has them. */
  readonly androidPackage: string | null;
  readonly iosAppStoreId: string | null;
}

const MAX_APPS = 10_000;

/** By app. A change of an app raises the revision, too. */
export function createHostSettings(
  { db, clock, warn }: Pick<Foundation, 'clock'> & { db: Db; warn: (error: unknown) => void },
  revisions: LinkRevisions,
): RevisedCache<HostSettings> {
  return createRevisedCache<HostSettings>({
    ...{ clock, revisions, warn, max: MAX_APPS, maxSize: MAX_APPS, maxUnknown: MAX_APPS },
    sizeOf: () => 1,
    appOf: (appId) => appId,
    async load(appId) {
      const revision = revisions.peek(appId);
      const isCertain = revision !== null && isSettled(revision, clock.nowMs());
      const app = await findApp(db, appId);
      const value = app === undefined ? null : toSettings(app);
      return { value, revision: isCertain ? revision.number : null };
    },
  });
}

function toSettings(app: AppRow): HostSettings {
  return {
    rootUrl: app.root_url,
    notFoundUrl: app.not_found_url,
    firebaseLongLinks: firebaseLongLinksOf(app),
    androidPackage: app.android_package,
    iosAppStoreId: app.ios_app_store_id,
  };
}
