export { eventsOfPerson } from './personal-data.ts';
export { listInstallsOfOthers, listInstallsOfUser } from './queries.ts';
