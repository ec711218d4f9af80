/** Sends the install, then the user, then the events: each needs the one before. */
import { isObject } from './answers.ts';
import type { EventQueue } from './event-queue.ts';
import type { Answer } from './http.ts';
import type { Install } from './install.ts';
import type { Step } from './lane.ts';
import type { Session } from './session.ts';

/** An app's daily quota of the service starts anew at midnight UTC. */
const QUOTA_RETRY_MS = 600_000;

interface Records {
  readonly session: Session;
  readonly install: Install;
  readonly queue: EventQueue;
}

export async function sendRecord({ session, install, queue }: Records): Promise<Step> {
  if (!session.mayRecord()) return 'done';
  if (session.state.firstOpen === null) return await install.send();
  if (!session.state.isUserSent) return await sendUser(session);
  return await sendEvents(session, queue);
}

async function sendUser({ state, storage, call, log, save, isOpen }: Session): Promise<Step> {
  const { installId, userId } = state;
  await storage.settled();
  const answer = await call('POST', '/v1/sdk/identify', { installId, userId });
  if (!isOpen()) return 'done';
  if (answer.outcome === 'later') return toRepeat(log, 'The user is', answer);
  if (answer.outcome === 'refused') log('error', `The user was not linked: ${answer.reason}`);
  state.isUserSent = state.userId === userId;
  save();
  return 'more';
}

async function sendEvents(session: Session, queue: EventQueue): Promise<Step> {
  const { state, storage, call, log } = session;
  const batch = queue.nextBatch();
  if (batch.length === 0) return 'done';
  await storage.settled();
  log('debug', `Sending ${batch.length} events`);
  const events = batch.map((event) => ({ installId: state.installId, ...event }));
  const answer = await call('POST', '/v1/sdk/events', { events });
  if (!session.isOpen()) return 'done';
  if (answer.outcome === 'refused') {
    queue.settle(batch, new Set());
    noteDropped(session, batch.length, answer.reason);
    return 'more';
  }
  const results = answer.outcome === 'ok' ? answer.body.results : null;
  if (!Array.isArray(results) || results.length !== batch.length) {
    queue.settle(batch, new Set(batch.map(({ eventId }) => eventId)));
    return toRepeat(log, 'Events are', answer);
  }
  const left = new Set<string>();
  for (const [index, { eventId, eventName }] of batch.entries()) {
    const result = results[index];
    const { status, error } = isObject(result) ? result : { status: 500, error: null };
    if (status === 429 || Number(status) >= 500) left.add(eventId);
    else if (Number(status) >= 400) noteDropped(session, 1, `“${eventName}”: ${error}`);
  }
  queue.settle(batch, left);
  return left.size > 0 ? { retryAfterMs: QUOTA_RETRY_MS } : 'more';
}

function toRepeat(log: Session['log'], what: string, answer: Answer): Step {
  const { reason, retryAfterMs } =
    answer.outcome === 'later' ? answer : { reason: 'the answer is incomplete', retryAfterMs: 0 };
  log('warn', `${what} sent again: ${reason}`);
  return { retryAfterMs };
}

/** Counts events that will not reach the service. */
export function noteDropped({ state, log, save }: Session, count: number, reason: string): void {
  state.droppedEvents += count;
  save();
  log('warn', `${count} events dropped, ${state.droppedEvents} in all: ${reason}`);
}
