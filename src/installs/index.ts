export {
  activityOf,
  type LastOpen,
  readLastOpen,
  recordUse,
  updateUse,
} from './activity.ts';
export { consentColumns } from './consent.ts';
export { CLICK_IDS_KEPT_DAYS, dropOldClickIds } from './drop-click-ids.ts';
export { forgetInviters } from './forget-inviters.ts';
export {
  dropOldGoneInstalls,
  findKnownInstall,
  GONE_KEPT_DAYS,
  listGoneInstalls,
  markGone,
} from './gone-installs.ts';
export { DEVICE_ERASED, installsOfPerson, presentDevice } from './personal-data.ts';
export {
  COUNTED_COLUMNS,
  type CountedInstall,
  findVisibleInstall,
  type InstallRow,
  installNotFound,
  listInstalls,
  listInstallsOf,
  updateInstallUser,
} from './queries.ts';
