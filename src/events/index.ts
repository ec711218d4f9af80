export { createDailyBounds } from './daily-bounds.ts';
export { dropOldEvents } from './drop-old.ts';
export { eventsOfPerson } from './personal-data.ts';
export { deleteEventsOfInstalls, listEventsOf, listInstallsOfOthers } from './queries.ts';
