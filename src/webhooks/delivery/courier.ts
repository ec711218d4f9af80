/**
 * Sends what is due. Receivers that fail have turns of their own, so that nobody else waits for their records. What a
 * crash cuts waits again after a while, and its attempt is recorded as interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { LATEST_MS, SECOND_MS } from '../../platform/clock.ts';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { createOutgoing, type Outgoing, parseNetworks } from '../../platform/outgoing/index.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, type Ended, toAttempt, waitAfter } from './attempt.ts';
import { type Lane, Lanes, MAX_UNDER_WAY } from './lanes.ts';
import { type DueRow, insertUnderWay, listWaiting, type MessageRow } from './queue.ts';
import { recordAbandoned, recordEnded } from './record-ended.ts';
import { ATTEMPT_TIMEOUT_MS, type Outcome, send, targetOf } from './send.ts';
import { Turns } from './turns.ts';

/** What sends deliveries, this process's and what others leave. */
export interface Courier {
  /** Deliveries were committed: they leave at once. */
  wake(deliveries: readonly Pick<DueRow, 'app_id' | 'webhook_id'>[]): void;
  /** One attempt, now, whether the webhook is enabled or not. It is in the log when this returns. */
  sendOnce(webhook: WebhookRow, message: MessageRow): Promise<Outcome>;
  /** Lets attempts under way end for a while, interrupts the others, and records how they ended. */
  stop(): Promise<void>;
}

/** Other processes' deliveries, and what a crash left, are found after this at the latest. */
const LOOK_EVERY_MS = SECOND_MS;
const LOOKED_AT_ONCE = 200;
/** When the database was away, those who waited for it to record how attempts ended do that first. */
const LOOKS_BEFORE_TAKING_OVER = 3;
/** Longer than an attempt: whoever made it has recorded it by then, or is gone. */
const ABANDONED_AFTER_MS = ATTEMPT_TIMEOUT_MS + 5 * SECOND_MS;
const STOP_PATIENCE_MS = 2 * SECOND_MS;
/** Many that fail at the same moment are recorded and tried again little by little. */
const PAUSE_OF_FAILING_MS = 25;
/** Timers may be a little early by the clock that says what is due. */
const TIMER_SLACK_MS = 5;

/** Starts delivering. */
export async function createCourier(ctx: Ctx): Promise<Courier> {
  // What a crash left is nobody's, where no other process may be at it: whatever the clock was then.
  if (!ctx.store.isShared) await recordAbandoned(ctx, LATEST_MS);
  return new RunningCourier(ctx);
}

class RunningCourier implements Courier {
  readonly #ctx: Ctx;
  readonly #outgoing: Outgoing;
  readonly #attempts: Counter<'outcome'>;
  readonly #looking: Loop;
  readonly #lanes = new Lanes();
  readonly #turns: Turns;
  readonly #turnsOfFailing: Turns;
  readonly #interruption = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #underWay = new Set<Promise<void>>();
  /** Looks in a row that the database answered. */
  #looks = LOOKS_BEFORE_TAKING_OVER;
  /** The webhook where the last look stopped; null where it came to the end. */
  #lookedUpTo: string | null = null;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#outgoing = createOutgoing({
      allowed: parseNetworks(ctx.config.webhookAllowCidrs),
      // Many webhooks may lead to one chat platform: the lanes bound them, not its name.
      connectionsPerOrigin: MAX_UNDER_WAY,
    });
    this.#turns = this.#turnsOf('others');
    this.#turnsOfFailing = this.#turnsOf('failing');
    this.#attempts = new Counter({
      name: 'throughline_webhook_attempts_total',
      help: 'Attempts to deliver to webhooks that ended, by how they ended',
      labelNames: ['outcome'],
      registers: [ctx.metrics],
    });
    this.#looking = startLoop('webhook deliveries', LOOK_EVERY_MS, ctx.log, () => this.#look());
  }

  wake(deliveries: readonly Pick<DueRow, 'app_id' | 'webhook_id'>[]): void {
    for (const { app_id: appId, webhook_id: webhookId } of deliveries) this.#lanes.wake(appId, webhookId);
    this.#turns.take();
    this.#turnsOfFailing.take();
  }

  async sendOnce(webhook: WebhookRow, message: MessageRow): Promise<Outcome> {
    const ctx = this.#ctx;
    const delivery = {
      app_id: webhook.app_id,
      webhook_id: webhook.id,
      message_id: message.id,
      failed_attempts: 0,
    };
    const attempt = toAttempt(ctx, delivery, { message, target: targetOf(ctx, webhook) });
    await inTransaction(ctx, async (tx) => {
      await tx.store.insertMany(tx.db, 'webhook_messages', [message]);
      await insertUnderWay(tx, [attempt.record]);
    });
    const outcome = await this.#send(attempt);
    await inTransaction(ctx, (tx) => recordEnded(tx, [{ attempt, outcome }]));
    return outcome;
  }

  async stop(): Promise<void> {
    this.#turns.stopTaking();
    this.#turnsOfFailing.stopTaking();
    await this.#looking.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#idle();
    await Promise.race([Promise.all(this.#underWay), sleep(STOP_PATIENCE_MS, undefined, { ref: false })]);
    this.#interruption.abort();
    await Promise.all(this.#underWay);
    await this.#idle();
    await this.#outgoing.close();
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#turns.idle(), this.#turnsOfFailing.idle()]);
  }

  #turnsOf(those: 'failing' | 'others'): Turns {
    return new Turns(this.#ctx, {
      pauseMs: those === 'failing' ? PAUSE_OF_FAILING_MS : 0,
      next: () => this.#lanes.next(those),
      wake: ({ appId, webhookId }) => this.#lanes.wake(appId, webhookId),
      begin: (lane, attempt) => this.#begin(lane, attempt),
      recorded: (ended) => this.#scheduleRetry(ended),
    });
  }

  #begin(lane: Lane, attempt: Attempt): void {
    this.#lanes.began(lane);
    const sending = this.#send(attempt).then((outcome) => {
      this.#lanes.ended(lane, outcome);
      this.#underWay.delete(sending);
      (lane.state === 'failing' ? this.#turnsOfFailing : this.#turns).record({ attempt, outcome });
    });
    this.#underWay.add(sending);
  }

  async #send({ target, message }: Attempt): Promise<Outcome> {
    const signal = this.#interruption.signal;
    const outcome = await send(this.#ctx, { outgoing: this.#outgoing, target, message, signal });
    this.#attempts.inc({ outcome: nameOf(outcome) });
    return outcome;
  }

  #scheduleRetry(ended: Ended): void {
    const waitMs = waitAfter(ended);
    if (waitMs === null || this.#interruption.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake([ended.attempt.record]);
    }, waitMs + TIMER_SLACK_MS).unref();
    this.#timers.add(timer);
  }

  async #look(): Promise<void> {
    const looks = this.#looks;
    this.#looks = 0;
    if (looks >= LOOKS_BEFORE_TAKING_OVER)
      await recordAbandoned(this.#ctx, this.#ctx.clock.nowMs() - ABANDONED_AFTER_MS);
    const waiting = await listWaiting(this.#ctx.db, this.#lookedUpTo, LOOKED_AT_ONCE);
    this.#lookedUpTo = waiting.length < LOOKED_AT_ONCE ? null : (waiting.at(-1)?.webhook_id ?? null);
    this.wake(waiting);
    this.#looks = looks + 1;
  }
}

function nameOf({ success, isInterrupted }: Outcome): 'delivered' | 'failed' | 'interrupted' {
  if (success) return 'delivered';
  return isInterrupted ? 'interrupted' : 'failed';
}
