import { AppError } from '../errors.ts';
import { monotonicMs } from '../lib/clock.ts';
import { toAppError } from '../server/error-response.ts';
import { compileCheck } from '../server/validation.ts';
import { maxEventsAtOnce } from '../webhooks/index.ts';
import type { EventSender } from './daily-limits.ts';
import { eventIdOf } from './event.ts';
import {
  type Call,
  type EventDeps,
  type Input,
  type Outcome,
  prepareCall,
  recordAll,
} from './record-events.ts';
import { type EventResult, RecordEvent, type RecordEventInput } from './schemas.ts';

const checkEvent = compileCheck(RecordEvent, 'event');

/**
 * Records a batch and returns a result per event, in order.
 * @param input `events` holds an AppError for each event that the body parser rejected; `sentAt` is that of events without
 *   their own.
 * @throws AppError `event.daily_limit` if every event exceeds a limit, for clients that read only the status.
 */
export async function recordEvents(
  deps: EventDeps,
  { events, sentAt, ...sender }: EventSender & { events: readonly unknown[]; sentAt?: unknown },
): Promise<EventResult[]> {
  const checked = events.map((event) => {
    if (event instanceof AppError) return event;
    const message = checkEvent(event);
    return message === null ? (event as RecordEventInput) : new AppError('request.invalid', { message });
  });
  const outcomes = await recordParts(deps, await prepareCall(deps, sender, sentAt), checked);
  const [first] = outcomes;
  if (first instanceof AppError && outcomes.every(isOverLimit)) throw first;
  return outcomes.map((outcome) =>
    outcome instanceof AppError
      ? { status: outcome.status, error: outcome.message, code: outcome.code }
      : { status: 201, eventId: eventIdOf(outcome) },
  );
}

function isOverLimit(outcome: Outcome): boolean {
  return outcome instanceof AppError && outcome.code === 'event.daily_limit';
}

const TOO_MANY =
  'Events of this app arrive faster than they can be stored for its webhooks. Send those with status 503 again later.';

/**
 * In short transactions, and few of one app at a time: calls of other apps get their turn in between.
 * @throws what the first one throws; an error of a later one is the outcome of all events that are left.
 */
async function recordParts(deps: EventDeps, call: Call, inputs: readonly Input[]): Promise<Outcome[]> {
  const appId = call.app.id;
  const untilMs = monotonicMs() + deps.maxBatchMs;
  const outcomes: Outcome[] = [];
  while (outcomes.length < inputs.length) {
    const start = outcomes.length;
    try {
      const part = await deps.inTurn(appId, async () => {
        if (monotonicMs() > untilMs) throw new AppError('server.busy', { message: TOO_MANY });
        // A webhook may have been added or removed since the last part.
        const webhooks = await deps.webhooks.get(appId);
        const count = maxEventsAtOnce(webhooks, 'event.recorded');
        const some = inputs.slice(start, start + count);
        return await deps.recordings.during(() => recordAll(deps, { ...call, webhooks }, some));
      });
      outcomes.push(...part);
    } catch (thrown) {
      if (start === 0) throw thrown;
      const error = toAppError(thrown);
      if (error.code !== 'server.busy')
        deps.log.error({ err: error, items: inputs.length - start }, 'Items of a batch failed');
      return [
        ...outcomes,
        ...inputs.slice(start).map((input) => (input instanceof AppError ? input : error)),
      ];
    }
  }
  return outcomes;
}
