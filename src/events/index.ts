import { isShared } from '../db/index.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { createTurns } from '../lib/turns.ts';
import { identify } from './identify.ts';
import { recordEvents } from './record-batch.ts';
import { type EventDeps, recordEvent } from './record-events.ts';

export { createDailyEventLimits } from './daily-limits.ts';
export { dropOldEvents } from './drop-old.ts';
export { countedEvent, transactionMarkOf } from './event.ts';
export { eventsOfPerson } from './personal-data.ts';
export {
  deleteEventsOfInstalls,
  findMarkedEvent,
  insertMark,
  listEventsOf,
  listInstallsOfOthers,
  listMarkedEvents,
} from './queries.ts';
export type { RecordEventInput } from './schemas.ts';

/** Transactions of one app's batches at a time: on SQLite they have one writer, on PostgreSQL they share its connections. */
const MAX_TURNS = { alone: 1, shared: 4 };

/** Below the time for which the SDKs wait for an answer: they would send all events again. */
const MAX_BATCH_MS = 8 * SECOND_MS;

/** Records events after installs. */
export function createEvents(given: Omit<EventDeps, 'inTurn' | 'maxBatchMs'>) {
  const inTurn = createTurns(isShared(given.db) ? MAX_TURNS.shared : MAX_TURNS.alone);
  const deps = { ...given, inTurn, maxBatchMs: MAX_BATCH_MS };
  return {
    record: recordEvent.bind(null, deps),
    recordBatch: recordEvents.bind(null, deps),
    identify: identify.bind(null, deps),
  };
}
export type Events = ReturnType<typeof createEvents>;
