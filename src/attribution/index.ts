import type { AttributionDeps } from './attribution-deps.ts';
import { debugAttribution } from './debug-attribution.ts';
import { explainInstall } from './explain-install.ts';
import { recordInstalls, recordOpens } from './record-batch.ts';
import { recordInstall } from './record-install.ts';
import { recordOpen } from './record-open.ts';
import { resolveDeepLink } from './resolve-deep-link.ts';

export { activityFactsOf, readLastOpen, recordActivity } from './activity.ts';
export { createDailyInstallLimit } from './daily-limit.ts';
export type { Method } from './decide.ts';
export {
  deleteInstallRows,
  deleteOpensOfInstalls,
  type InstallChoice,
  listInstallsByTime,
} from './deletion-queries.ts';
export {
  dropOldGoneInstalls,
  findKnownInstall,
  GONE_KEPT_DAYS,
  listGoneInstalls,
  markGone,
} from './gone-installs.ts';
export { installsOfPerson, opensOfPerson } from './personal-data.ts';
export {
  findVisibleInstall,
  type InstallRow,
  listInstallRows,
  listInstalls,
  listInstallsOf,
  listInstallsOpenedByOthers,
  listOpenOwners,
  listOpensOf,
  updateInstallUser,
} from './queries.ts';
export { installNotFound } from './read-install.ts';

/** Attributes installs and opens to clicks. */
export function createAttribution(deps: AttributionDeps) {
  return {
    recordInstall: recordInstall.bind(null, deps),
    recordInstalls: recordInstalls.bind(null, deps),
    recordOpen: recordOpen.bind(null, deps),
    recordOpens: recordOpens.bind(null, deps),
    resolveDeepLink: resolveDeepLink.bind(null, deps),
    debug: debugAttribution.bind(null, deps),
    explainInstall: explainInstall.bind(null, deps),
  };
}
export type Attribution = ReturnType<typeof createAttribution>;
