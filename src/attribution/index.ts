export { createInstallLimit } from './daily-limit.ts';
export type { Method } from './decide.ts';
export {
  deleteInstallRows,
  deleteOpensOfInstalls,
  type InstallChoice,
  listInstallsByTime,
} from './deletion-queries.ts';
export { installsOfPerson, opensOfPerson } from './personal-data.ts';
export {
  findVisibleInstall,
  type InstallRow,
  installIsOf,
  listInstallRows,
  listInstalls,
  listInstallsOf,
  listInstallsOpenedByOthers,
  listOpenOwners,
  listOpensOf,
  updateInstallUser,
} from './queries.ts';
export { installNotFound } from './read-install.ts';
