import { identify } from './identify.ts';
import { type EventDeps, recordEvent, recordEvents } from './record-events.ts';

export { createDailyEventLimits } from './daily-limits.ts';
export { dropOldEvents } from './drop-old.ts';
export { countedEvent } from './event.ts';
export { eventsOfPerson } from './personal-data.ts';
export { deleteEventsOfInstalls, listEventsOf, listInstallsOfOthers } from './queries.ts';

/** Records events after installs. */
export function createEvents(deps: EventDeps) {
  return {
    record: recordEvent.bind(null, deps),
    recordBatch: recordEvents.bind(null, deps),
    identify: identify.bind(null, deps),
  };
}
export type Events = ReturnType<typeof createEvents>;
