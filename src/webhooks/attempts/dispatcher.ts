/**
 * Sends due attempts, in turns that begin anew while there is work: a turn records what finished and claims what is due, and
 * what it claims is sent. Unproven webhooks have turns of their own, so that they delay no other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isShared, isUnavailable, type Transaction, useCustomPlan } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { type After, LATEST_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, type FinishedAttempt, receiverOfKind } from './attempt.ts';
import { type Claimed, claimDue } from './claim-due.ts';
import { claimOnce } from './claim-once.ts';
import { hasten } from './hasten.ts';
import { HeldBack } from './held-back.ts';
import { type DueAttempt, listPendingWebhooks, type MessageRow } from './queue.ts';
import { endPause, findEndedPauses, type Receiver } from './receiver.ts';
import type { ReceiverKinds } from './receiver-kind.ts';
import { recordAbandoned, recordReachable } from './record-abandoned.ts';
import { type Recorded, recordFinished } from './record-finished.ts';
import { type Grant, type Group, Schedule, type ScheduledWebhook } from './schedule.ts';
import { type AttemptResult, Sender } from './send.ts';
import { UnrecordedAttempts } from './unrecorded.ts';

/** Finds attempts that other processes left due, and those that are due after a longer time. */
const POLL_INTERVAL_MS = SECOND_MS;
const WEBHOOKS_PER_POLL = 200;
const RECEIVERS_PER_POLL = 500;
/** After an outage of the database, other processes get time to record the attempts that they finished. */
const POLLS_BEFORE_RECOVERY = 3;
const STOP_GRACE_MS = 2 * SECOND_MS;
/** Spreads out the records and retries of many attempts that fail at once, and leaves the database to other work. */
const PAUSES_MS: Readonly<Record<Group, number>> = { regular: 0, unproven: 25 };
const RETRY_UNAVAILABLE_MS = SECOND_MS;
/** Short: after any other fault the next turn is smaller. */
const RETRY_REFUSED_MS = 50;
/** Later retries are left to the poll. */
const MAX_TIMER_MS = MINUTE_MS;

type DispatcherDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'log' | 'metrics'> & {
  readonly after: After;
  readonly kinds: ReceiverKinds;
};

/** The turns of a group while there is work, and the finished attempts that they have to record. */
interface Turns {
  running: Promise<void> | null;
  readonly unrecorded: UnrecordedAttempts;
}

/** Starts sending. */
export async function createDispatcher(deps: DispatcherDeps): Promise<Dispatcher> {
  // Without other processes, every attempt in flight is abandoned, whatever the clock says of its lease.
  if (!isShared(deps.db)) await recordAbandoned(deps, LATEST_MS);
  return new Dispatcher(deps);
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #schedule = new Schedule();
  readonly #sender: Sender;
  /** Of claims and records, since both need the node of an app. */
  readonly #heldBack: HeldBack;
  readonly #turns: Readonly<Record<Group, Turns>>;
  readonly #poll: Loop;
  readonly #inFlight = new Set<Promise<void>>();
  #isStopping = false;
  /** Polls in a row that succeeded. */
  #polls = POLLS_BEFORE_RECOVERY;
  /** The last webhook of the previous poll; null once a poll has reached the end. */
  #polledUpTo: string | null = null;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#sender = new Sender(deps);
    this.#heldBack = new HeldBack(deps);
    const newTurns = () => ({
      running: null,
      unrecorded: new UnrecordedAttempts({ log: deps.log, heldBack: this.#heldBack }),
    });
    this.#turns = { regular: newTurns(), unproven: newTurns() };
    this.#poll = startLoop('webhook attempts', POLL_INTERVAL_MS, deps.log, () => this.#pollDue());
  }

  /** Sends attempts at once. To be called after the transaction that inserted them. */
  wake(due: readonly Pick<DueAttempt, 'app_id' | 'webhook_id'>[]): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const { app_id: appId, webhook_id: webhookId } of due) {
      const webhook = this.#schedule.find(appId, webhookId);
      if (!this.#schedule.isHeld(webhook, nowMs)) this.#schedule.wake(webhook);
    }
    this.#takeTurns();
  }

  /** Sends what waits for a receiver that the webhook may have left. */
  release({ app_id: appId, id }: Pick<WebhookRow, 'app_id' | 'id'>): void {
    this.#schedule.leave(this.#schedule.find(appId, id));
    this.wake([{ app_id: appId, webhook_id: id }]);
  }

  /** Sends what failed before its receiver was repaired. */
  async hasten(webhook: WebhookRow): Promise<void> {
    await hasten(this.#deps, webhook, () => {
      if (!this.#isStopping) this.release(webhook);
    });
  }

  /** Sends what waits in the pause that the webhook's receiver asked for: it is well again. */
  async endPause(webhook: WebhookRow): Promise<void> {
    const receiver = this.receiverOf(webhook);
    await endPause(this.#deps.db, this.#deps, receiver);
    this.#schedule.endPause(receiver.id, this.#deps.clock.nowMs());
    this.release(webhook);
  }

  /** What is paced and paused as one. */
  receiverOf(webhook: WebhookRow): Receiver {
    return receiverOfKind(this.#deps.kinds, webhook);
  }

  /** Sends a message once, to a disabled webhook too. The attempt is in the log when this resolves. */
  async sendOnce(webhook: WebhookRow, message: MessageRow): Promise<AttemptResult> {
    const deps = this.#deps;
    const attempt = await claimOnce(deps, webhook, message);
    const result = await this.#sender.send(attempt);
    await deps.db.transaction().execute((tx) => recordFinished(tx, deps, [{ attempt, result }]));
    if (result.success) await this.endPause(webhook);
    return result;
  }

  /** Waits for attempts in flight for a grace period, then interrupts the rest, and records all results. */
  async stop(): Promise<void> {
    const turnsEnd = () => Promise.all(Object.values(this.#turns).map(({ running }) => running));
    this.#isStopping = true;
    await Promise.all([this.#poll.stop(), this.#heldBack.stop()]);
    await turnsEnd();
    await Promise.race([Promise.all(this.#inFlight), sleep(STOP_GRACE_MS, undefined, { ref: false })]);
    this.#sender.interrupt();
    await Promise.all(this.#inFlight);
    await turnsEnd();
    await this.#sender.close();
  }

  #takeTurns(groups: readonly Group[] = ['regular', 'unproven']): void {
    for (const group of groups) this.#turns[group].running ??= this.#takeTurnsOf(group);
  }

  /** Until no work is left. Work that arrives during a turn forms the next one, so turns grow with the load. */
  async #takeTurnsOf(group: Group): Promise<void> {
    const turns = this.#turns[group];
    // Webhooks woken in the same tick share a turn.
    await Promise.resolve();
    for (;;) {
      const grants = this.#isStopping ? [] : this.#schedule.next(group);
      const finished = turns.unrecorded.take();
      if (grants.length === 0 && finished.length === 0) break;
      // At once where the database allows it. A fault of one half does not undo the other.
      const halves = [this.#record(finished, turns.unrecorded), this.#claim(grants)];
      const fault = (await Promise.allSettled(halves)).find(({ status }) => status === 'rejected');
      if (fault?.status === 'rejected') {
        const err: unknown = fault.reason;
        this.#deps.log.warn({ err }, 'Failed to claim or record webhook attempts; will retry');
        // Unrecorded attempts are recovered as abandoned ones.
        if (this.#isStopping) break;
        await sleep(isUnavailable(err) ? RETRY_UNAVAILABLE_MS : RETRY_REFUSED_MS);
      } else if (PAUSES_MS[group] > 0 && !this.#isStopping) await sleep(PAUSES_MS[group]);
    }
    // In the same tick as the last look for work, so that a later one starts anew.
    turns.running = null;
  }

  async #claim(grants: readonly Grant[]): Promise<void> {
    // Those held back are polled again.
    const ready = grants.filter(({ webhook }) => !this.#heldBack.has(webhook.appId));
    if (ready.length === 0) return;
    const left = new Set(ready);
    try {
      await this.#heldBack.byAppIfAway(
        ready,
        ({ webhook }) => webhook.appId,
        async (some) => {
          const claims = await this.#inTransaction((tx) => claimDue(tx, this.#deps, some));
          for (const grant of some) left.delete(grant);
          for (const claimed of claims) this.#sendClaimed(claimed);
        },
      );
    } finally {
      for (const { webhook } of left) this.#schedule.wake(webhook);
      // Further attempts may be of the other group.
      this.#takeTurns();
    }
  }

  #sendClaimed({ webhook, receiverId, attempts, heldUntilMs, hasMore, maxInFlight }: Claimed): void {
    this.#schedule.bound(webhook, maxInFlight);
    for (const attempt of attempts) {
      const sending = this.#send(webhook, attempt).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
    const nowMs = this.#deps.clock.nowMs();
    // An earlier attempt was answered meanwhile, and its receiver asked for a pause.
    if (this.#schedule.isHeld(webhook, nowMs)) return;
    this.#schedule.leave(webhook);
    if (receiverId !== null && heldUntilMs === null) this.#schedule.pass(receiverId, nowMs);
    if (receiverId !== null && heldUntilMs !== null && (hasMore || attempts.length === 0))
      this.#wait(webhook, receiverId, heldUntilMs);
    else if (hasMore) this.#schedule.wake(webhook);
  }

  async #send(webhook: ScheduledWebhook, attempt: Attempt): Promise<void> {
    this.#schedule.started(webhook);
    const result = await this.#sender.send(attempt);
    const pauseMs = result.pauseMs ?? result.restMs ?? null;
    this.#schedule.finished(webhook, { ...result, pauseMs });
    // At once, since a claim may be on its way before the pause is in the database.
    if (pauseMs !== null) this.#wait(webhook, attempt.receiver.id, this.#deps.clock.nowMs() + pauseMs);
    const group = webhook.state === 'failing' ? 'unproven' : 'regular';
    this.#turns[group].unrecorded.add({ attempt, result });
    this.#takeTurns([group]);
  }

  async #record(finished: readonly FinishedAttempt[], unrecorded: UnrecordedAttempts): Promise<void> {
    if (finished.length === 0) return;
    const left = new Set(finished);
    try {
      await this.#heldBack.byAppIfAway(
        finished,
        ({ attempt }) => attempt.row.app_id,
        async (some) => {
          const recorded = await this.#inTransaction((tx) => recordFinished(tx, this.#deps, some));
          for (const each of some) left.delete(each);
          this.#awaitNext(recorded);
        },
      );
      unrecorded.recorded();
    } catch (error) {
      unrecorded.putBack([...left], error);
      throw error;
    }
  }

  /** Retries start when they are due, and held receivers get no attempt before their time. */
  #awaitNext({ retries, holds }: Recorded): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const { receiverId, untilMs } of holds) {
      const atMs = this.#schedule.hold(receiverId, { untilMs, nowMs });
      if (atMs !== null) this.#turnAt(receiverId, atMs);
    }
    for (const retry of retries) {
      const delayMs = Date.parse(retry.next_attempt_at) - nowMs;
      if (delayMs <= MAX_TIMER_MS) this.#deps.after(delayMs, () => this.wake([retry]));
    }
  }

  #wait(webhook: ScheduledWebhook, receiverId: string, untilMs: number): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#turnAt(receiverId, this.#schedule.wait(webhook, receiverId, { untilMs, nowMs }));
  }

  #turnAt(receiverId: string, atMs: number): void {
    const { after, clock } = this.#deps;
    after(atMs - clock.nowMs(), () => {
      this.#schedule.turn(receiverId, clock.nowMs());
      this.#takeTurns();
    });
  }

  /** Table sizes change from none to a million rows within a minute, so cached plans do not fit. */
  async #inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#deps.db.transaction().execute(async (tx) => {
      await useCustomPlan(tx);
      return await work(tx);
    });
  }

  async #pollDue(): Promise<void> {
    const { db, clock } = this.#deps;
    const polls = this.#polls;
    this.#polls = 0;
    const nowMs = clock.nowMs();
    if (polls >= POLLS_BEFORE_RECOVERY) await recordReachable(this.#deps, nowMs);
    const webhooks = await listPendingWebhooks(db, this.#polledUpTo, WEBHOOKS_PER_POLL);
    this.#polledUpTo = webhooks.length < WEBHOOKS_PER_POLL ? null : (webhooks.at(-1)?.webhook_id ?? null);
    this.wake(webhooks.filter((webhook) => Date.parse(webhook.next_attempt_at) <= nowMs));
    const held = this.#schedule.heldReceivers(RECEIVERS_PER_POLL, clock.nowMs());
    // By other processes.
    const ended = await findEndedPauses(db, { clock }, held);
    for (const [receiverId, endedAtMs] of ended) this.#schedule.endPause(receiverId, endedAtMs);
    this.#takeTurns();
    this.#polls = polls + 1;
  }
}
