export { Backtest, type BacktestDecision } from './backtest.ts';
export { createInstallBound } from './daily-bound.ts';
export type { Method } from './decide.ts';
export {
  deleteInstallRows,
  deleteOpensOfInstalls,
  type InstallChoice,
  listInstallsByTime,
} from './deletion.ts';
export { installsOfPerson, opensOfPerson } from './personal-data.ts';
export {
  findInstall,
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
export { readTouch } from './touches.ts';
