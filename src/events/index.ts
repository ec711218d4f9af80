export { createDailyLimits } from './daily-limits.ts';
export { dropOldEvents } from './drop-old.ts';
export { eventsOfPerson } from './personal-data.ts';
export { deleteEventsOfInstalls, listEventsOf, listInstallsOfOthers } from './queries.ts';
