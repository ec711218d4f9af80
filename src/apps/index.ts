export {
  type AppRow,
  checkDestinations,
  DAILY_EVENT_DEFAULTS,
  type Destinations,
  LANDING_PAGES,
  type LandingPage,
  revenuecatKeyOf,
  THRESHOLD_PERCENT,
  WINDOW_DEFAULT_HOURS,
} from './app.ts';
export { type AppDirectory, createAppDirectory } from './app-directory.ts';
export { type AppLinksSetting, appLinksOf } from './app-links.ts';
export type { AssociationFiles } from './association-files.ts';
export { assertSqliteMoved, bootstrap, type FirstKeys } from './bootstrap.ts';
export {
  type FirebaseLongLinksSetting,
  firebaseLongLinksOf,
  isAllowedHost,
} from './firebase-long-links.ts';
export { createHostDirectory, type HostDirectory } from './host-directory.ts';
export { META_KEYS, metaReferrerKeyOf } from './meta-referrer-key.ts';
export {
  findApp,
  findAppByStoreId,
  findLinksRevision,
  hasAppWithStoreId,
  listApps,
  listOwnHosts,
  lockApp,
  reviseLinks,
  revisionOfLinks,
} from './queries.ts';
export { isReservedPath } from './reserved-paths.ts';
export { hostNameOf, sharedHostsOf, shortLinkBase } from './short-link-host.ts';
export type { RefuseLoops } from './update-app.ts';
