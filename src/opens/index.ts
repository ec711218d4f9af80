export { opensOfPerson } from './personal-data.ts';
export {
  deleteOpensOfInstalls,
  listInstallsOpenedByOthers,
  listOpenOwners,
  listOpensOf,
  listOpensOfInstall,
  type OpenRow,
} from './queries.ts';
export { OpenDetails, presentOpen } from './schemas.ts';
