/**
 * Sends due deliveries. A second worker serves unproven endpoints, so that their attempts and results delay no other.
 * Attempts that a crash cut off are recorded as interrupted after a while, and their deliveries are due again.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { type Db, insertMany, isNodeAway, isShared } from '../../db/index.ts';
import { type Clock, LATEST_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { createOutgoing, type Outgoing, parseNetworks } from '../../lib/outgoing/index.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { WebhookRow } from '../webhook.ts';
import { type Attempt, type FinishedAttempt, retryDelayMs } from './attempt.ts';
import { type Endpoint, type EndpointGroup, EndpointScheduler, MAX_IN_FLIGHT } from './endpoint-scheduler.ts';
import { type DueRow, listPendingWebhooks, type MessageRow, toDue, toLease } from './queue.ts';
import { recordAbandoned, recordFinished } from './record-finished.ts';
import { type AttemptResult, send, targetOf } from './send.ts';
import { DeliveryWorker } from './worker.ts';

/** Finds deliveries that other processes left due. */
const POLL_INTERVAL_MS = SECOND_MS;
const WEBHOOKS_PER_POLL = 200;
/** After an outage of the database, other processes get time to record the attempts that they finished. */
const POLLS_BEFORE_RECOVERY = 3;
const STOP_GRACE_MS = 2 * SECOND_MS;
/** Spreads out the records and retries of many attempts that fail at once. */
const UNPROVEN_PAUSE_MS = 25;
/** Timers may fire a little before the due time by the clock. */
const TIMER_SLACK_MS = 5;

/** Dependencies of delivering. */
interface DeliveryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly metrics: Registry;
}

/** Starts delivering. */
export async function createDispatcher(deps: DeliveryDeps): Promise<Dispatcher> {
  // Without other processes, every attempt in flight is abandoned, whatever the clock says of its lease.
  if (!isShared(deps.db)) await recordAbandoned(deps, LATEST_MS);
  return new Dispatcher(deps);
}

export class Dispatcher {
  readonly #deps: DeliveryDeps;
  readonly #outgoing: Outgoing;
  readonly #attempts: Counter<'outcome'>;
  readonly #poll: Loop;
  readonly #scheduler = new EndpointScheduler();
  readonly #workers: Record<EndpointGroup, DeliveryWorker>;
  readonly #interruption = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #inFlight = new Set<Promise<void>>();
  /** Polls in a row that succeeded. */
  #polls = POLLS_BEFORE_RECOVERY;
  /** The last webhook of the previous poll; null once a poll has reached the end. */
  #polledUpTo: string | null = null;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#outgoing = createOutgoing({
      allowed: parseNetworks(deps.config.webhookAllowCidrs),
      // The scheduler bounds attempts by webhook; many webhooks may share the origin of a chat platform.
      connectionsPerOrigin: MAX_IN_FLIGHT,
    });
    this.#workers = {
      regular: this.#createWorker('regular', 0),
      unproven: this.#createWorker('unproven', UNPROVEN_PAUSE_MS),
    };
    this.#attempts = new Counter({
      name: 'throughline_webhook_attempts_total',
      help: 'Finished attempts to deliver to webhooks, by outcome',
      labelNames: ['outcome'],
      registers: [deps.metrics],
    });
    this.#poll = startLoop('webhook deliveries', POLL_INTERVAL_MS, deps.log, () => this.#pollDue());
  }

  /** Sends deliveries at once. To be called after the transaction that inserted them. */
  wake(deliveries: readonly Pick<DueRow, 'app_id' | 'webhook_id'>[]): void {
    for (const { app_id: appId, webhook_id: webhookId } of deliveries) this.#scheduler.wake(appId, webhookId);
    this.#runWorkers();
  }

  /** Sends a message once, to a disabled webhook too. The attempt is in the log when this resolves. */
  async sendOnce(webhook: WebhookRow, message: MessageRow): Promise<AttemptResult> {
    const deps = this.#deps;
    const of = { app_id: webhook.app_id, webhook_id: webhook.id, message_id: message.id };
    const delivery = { ...toDue(deps, of), ...toLease(deps, webhook) };
    const attempt = { id: deps.ids.next(), delivery, message, target: targetOf(deps, webhook) };
    await deps.db.transaction().execute(async (tx) => {
      await insertMany(tx, 'webhook_messages', [message]);
      await insertMany(tx, 'webhook_deliveries', [delivery]);
    });
    const result = await this.#send(attempt);
    await deps.db.transaction().execute((tx) => recordFinished(tx, deps, [{ attempt, result }]));
    return result;
  }

  /** Waits for attempts in flight for a grace period, then interrupts the rest, and records all results. */
  async stop(): Promise<void> {
    this.#workers.regular.stopClaiming();
    this.#workers.unproven.stopClaiming();
    await this.#poll.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#idle();
    await Promise.race([Promise.all(this.#inFlight), sleep(STOP_GRACE_MS, undefined, { ref: false })]);
    this.#interruption.abort();
    await Promise.all(this.#inFlight);
    await this.#idle();
    await this.#outgoing.close();
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#workers.regular.idle(), this.#workers.unproven.idle()]);
  }

  #runWorkers(): void {
    this.#workers.regular.run();
    this.#workers.unproven.run();
  }

  #createWorker(group: EndpointGroup, pauseMs: number): DeliveryWorker {
    return new DeliveryWorker(this.#deps, {
      pauseMs,
      nextGrants: () => this.#scheduler.next(group),
      wake: ({ appId, webhookId }) => {
        this.#scheduler.wake(appId, webhookId);
        // Its further attempts may be of the other group.
        this.#runWorkers();
      },
      start: (endpoint, attempt) => this.#start(endpoint, attempt),
      onRecorded: (finished) => this.#scheduleRetry(finished),
    });
  }

  #start(endpoint: Endpoint, attempt: Attempt): void {
    this.#scheduler.started(endpoint);
    const sending = this.#send(attempt).then((result) => {
      this.#scheduler.finished(endpoint, result);
      this.#inFlight.delete(sending);
      this.#workers[endpoint.state === 'failing' ? 'unproven' : 'regular'].record({ attempt, result });
    });
    this.#inFlight.add(sending);
  }

  async #send({ target, message }: Attempt): Promise<AttemptResult> {
    const signal = this.#interruption.signal;
    const result = await send(this.#deps, { outgoing: this.#outgoing, target, message, signal });
    const failure = result.isInterrupted ? 'interrupted' : 'failed';
    this.#attempts.inc({ outcome: result.success ? 'delivered' : failure });
    return result;
  }

  #scheduleRetry(finished: FinishedAttempt): void {
    const delayMs = retryDelayMs(finished);
    if (delayMs === null || this.#interruption.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake([finished.attempt.delivery]);
    }, delayMs + TIMER_SLACK_MS).unref();
    this.#timers.add(timer);
  }

  /** Attempts of apps whose node is away stay for a later poll. */
  async #recover(): Promise<void> {
    await recordAbandoned(this.#deps, this.#deps.clock.nowMs()).catch((error: unknown) => {
      if (!isNodeAway(error)) throw error;
      this.#deps.log.warn(
        { err: error },
        'A node of the cluster is away: deliveries of its apps wait for it',
      );
    });
  }

  async #pollDue(): Promise<void> {
    const polls = this.#polls;
    this.#polls = 0;
    if (polls >= POLLS_BEFORE_RECOVERY) await this.#recover();
    const webhooks = await listPendingWebhooks(this.#deps.db, this.#polledUpTo, WEBHOOKS_PER_POLL);
    this.#polledUpTo = webhooks.length < WEBHOOKS_PER_POLL ? null : (webhooks.at(-1)?.webhook_id ?? null);
    this.wake(webhooks);
    this.#polls = polls + 1;
  }
}
