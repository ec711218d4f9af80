/** Sends the install, then the user, then the events: each needs the one before. */
import { isObject, text } from './answers.ts';
import type { QueuedEvent } from './event.ts';
import type { EventQueue } from './event-queue.ts';
import { type Answer, ERASED, LOST } from './http.ts';
import type { Install } from './install.ts';
import type { Step } from './lane.ts';
import type { Session } from './session.ts';
import { toIso } from './timing.ts';

const FINAL = [400, 409, 413, 422];

export interface Records {
  readonly session: Session;
  readonly install: Install;
  readonly queue: EventQueue;
}

export async function sendRecord(records: Records): Promise<Step> {
  const { session, install, queue } = records;
  if (!session.mayRecord()) return 'done';
  const { state } = session;
  if (state.firstOpen === null || state.isLost) return await install.send();
  if (state.userToSend === null && queue.count === 0) return 'done';
  await session.storage.settled();
  // From here on nothing waits: the person may have refused meanwhile, which erased what was to be sent.
  if (!session.mayRecord()) return 'done';
  if (state.userToSend !== null) return await sendUser(records, state.userToSend);
  const batch = queue.nextBatch();
  return batch.length === 0 ? 'done' : await sendEvents(records, batch);
}

async function sendUser({ session, install }: Records, userId: string): Promise<Step> {
  const { state, call, log, save } = session;
  const answer = await call('POST', '/v1/sdk/identify', { installId: state.installId, userId });
  if (!session.isOpen()) return 'done';
  if (answer.outcome === 'later' || (answer.outcome === 'ok' && answer.status !== 204))
    return toRepeat(log, 'The user is', answer);
  if (answer.outcome === 'refused') {
    const step = install.takeRefusal(answer.code);
    if (step !== null) return step;
    log('error', `The user was not linked: ${answer.reason}`);
  }
  if (state.userToSend === userId) state.userToSend = null;
  save();
  return 'more';
}

async function sendEvents({ session, install, queue }: Records, batch: QueuedEvent[]): Promise<Step> {
  const { call, log } = session;
  log('debug', `Sending ${batch.length} events`);
  const answer = await call('POST', '/v1/sdk/events', bodyOf(session, batch));
  if (!session.isOpen()) return 'done';
  if (answer.outcome === 'refused') return takeRefusal({ session, install, queue }, batch, answer);
  const results = answer.outcome === 'ok' ? answer.body.results : null;
  if (!Array.isArray(results) || results.length !== batch.length) {
    queue.settle(new Set());
    if (answer.outcome === 'later' && answer.isTooMuch) {
      queue.halveBatch(batch.length);
      if (batch.length === 1) queue.hold(batch[0] as QueuedEvent);
    }
    return toRepeat(log, 'Events are', answer);
  }
  const done = new Set<QueuedEvent>();
  let refusal: string | null = null;
  for (const [index, event] of batch.entries()) {
    const result = results[index];
    const { status, code = null, error = null } = isObject(result) ? result : { status: 500 };
    if (code === LOST || code === ERASED) refusal = code;
    else if (Number(status) < 300) done.add(event);
    else if (FINAL.includes(Number(status))) {
      done.add(event);
      noteDropped(session, 1, text(error) ?? 'refused');
    } else queue.hold(event);
  }
  queue.settle(done);
  queue.doubleBatch();
  if (done.size > 0) install.noteKnown();
  return install.takeRefusal(refusal) ?? 'more';
}

/** Beyond, the clock was set in the meantime. Up to it the phone slept, when some clocks of processes stand still. */
const MAX_SLEEP_MS = 86_400_000;
const SLEW_MS = 1_000;

function bodyOf({ state, now, uptime }: Session, batch: readonly QueuedEvent[]): string {
  const install = `{"installId":${JSON.stringify(state.installId)},`;
  const nowMs = now();
  const events = batch.map(({ text, hasUser, trackedAt }) => {
    const ageMs = trackedAt === undefined ? 0 : uptime() - trackedAt.uptime;
    const sleptMs = trackedAt === undefined ? 0 : nowMs - trackedAt.now - ageMs;
    const isSet = sleptMs < -SLEW_MS || sleptMs > MAX_SLEEP_MS;
    // There was none at that time; the service would take the one of now.
    const user = hasUser || state.user === undefined ? '' : '"userId":null,';
    const dated = isSet
      ? text.replace(/"occurredAt":"[^"]*"/, `"occurredAt":"${toIso(nowMs - ageMs)}"`)
      : text;
    return install + user + dated.slice(1);
  });
  return `{"sentAt":"${toIso(nowMs)}","events":[${events.join()}]}`;
}

/** One event that makes the service refuse the batch is found by halving it. */
function takeRefusal(
  { session, install, queue }: Records,
  batch: readonly QueuedEvent[],
  { reason, code }: Answer & { outcome: 'refused' },
): Step {
  const [first] = batch;
  const step = install.takeRefusal(code);
  const isFinal = step === null && batch.length === 1 && code !== null;
  queue.settle(new Set(isFinal ? batch : []));
  if (step !== null) return step;
  session.log('debug', `${batch.length} events were refused at once: ${reason}`);
  queue.halveBatch(batch.length);
  if (isFinal) noteDropped(session, 1, reason);
  else if (batch.length === 1 && first !== undefined) queue.hold(first);
  return 'more';
}

function toRepeat(log: Session['log'], what: string, answer: Answer): Step {
  const { reason, retryAfterMs } =
    answer.outcome === 'later' ? answer : { reason: 'the answer is not the service’s', retryAfterMs: 0 };
  log('warn', `${what} sent again: ${reason}`);
  return { retryAfterMs };
}

/** Counts events that will not reach the service. */
export function noteDropped({ state, log, save }: Session, count: number, reason: string): void {
  state.droppedEvents += count;
  save();
  log('warn', `${count} events dropped, ${state.droppedEvents} in all: ${reason}`);
}
