export {
  type Actor,
  type AppRow,
  canSee,
  DAILY_EVENT_DEFAULTS,
  LANDING_PAGES,
  type LandingPage,
  ROLES,
  type Role,
  WINDOW_DEFAULT_HOURS,
} from './app.ts';
export { type AppDirectory, createAppDirectory } from './app-directory.ts';
export type { AssociationFiles } from './association-files.ts';
export {
  authenticate,
  type BySession,
  budgetOf,
  byApp,
  countingRefusals,
  type KeyDemand,
  MANAGEMENT_LIMIT,
  type OperatorBySession,
  requireAdmin,
  requireKey,
} from './authenticate.ts';
export { assertSameSecret, assertSqliteMoved, bootstrap, type FirstKeys } from './bootstrap.ts';
export { checkDestinations, type Destinations } from './destinations.ts';
export { createHostDirectory, type HostDirectory } from './host-directory.ts';
export { createKeyRing, type KeyRing } from './key-ring.ts';
export { revokeKeysOf } from './keys.ts';
export { authorOf, type Operator, operatorOf } from './operator.ts';
export {
  findApp,
  findAppByStoreId,
  findLinksRevision,
  hasAppWithStoreId,
  hasKeysOfRegion,
  listActiveKeysOf,
  listApps,
  lockApp,
  reviseLinks,
} from './queries.ts';
export { Key, presentKey } from './schemas.ts';
export { addSdkHooks } from './sdk-hooks.ts';
export { hostNameOf, shortLinkBase } from './short-link-host.ts';
