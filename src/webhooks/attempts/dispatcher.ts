/** Sends due deliveries. A second worker serves unproven endpoints, so that they delay no other. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import {
  type Db,
  insertMany,
  isNodeAway,
  isShared,
  type Transaction,
  useCustomPlan,
} from '../../db/index.ts';
import { type Clock, LATEST_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { WebhookRow } from '../webhook.ts';
import type { Attempt, FinishedAttempt } from './attempt.ts';
import { type Claimed, claimDue } from './claim-due.ts';
import { passEndedPauses } from './ended-pauses.ts';
import { type Endpoint, type EndpointGroup, EndpointScheduler, type Grant } from './endpoint-scheduler.ts';
import { HeldBack } from './held-back.ts';
import { type DueRow, listPendingWebhooks, type MessageRow, toDue, toLease } from './queue.ts';
import { receiverOf } from './receiver.ts';
import { ReceiverLines } from './receiver-lines.ts';
import { endPause } from './receiver-queries.ts';
import { type Recorded, recordAbandoned, recordFinished } from './record-finished.ts';
import { type AttemptResult, targetOf } from './send.ts';
import { Sender } from './sender.ts';
import { UnrecordedAttempts } from './unrecorded.ts';
import { Worker } from './worker.ts';

/** Finds deliveries that other processes left due, and those that are due after a longer time. */
const POLL_INTERVAL_MS = SECOND_MS;
const WEBHOOKS_PER_POLL = 200;
/** After an outage of the database, other processes get time to record the attempts that they finished. */
const POLLS_BEFORE_RECOVERY = 3;
const STOP_GRACE_MS = 2 * SECOND_MS;
/** Spreads out the records and retries of many attempts that fail at once. */
const PAUSES_MS: Readonly<Record<EndpointGroup, number>> = { regular: 0, unproven: 25 };
/** Timers may fire a little before the due time by the clock. */
const TIMER_SLACK_MS = 5;
/** Later retries are left to the poll. */
const MAX_TIMER_MS = MINUTE_MS;

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

/** A worker and the finished attempts that it has to record. */
interface Crew {
  readonly worker: Worker;
  readonly unrecorded: UnrecordedAttempts;
}

/** Starts delivering. */
export async function createDispatcher(deps: DeliveryDeps): Promise<Dispatcher> {
  // Without other processes, every attempt in flight is abandoned, whatever the clock says of its lease.
  if (!isShared(deps.db)) await recordAbandoned(deps, LATEST_MS);
  return new Dispatcher(deps);
}

export class Dispatcher {
  readonly #deps: DeliveryDeps;
  readonly #sender: Sender;
  readonly #poll: Loop;
  readonly #scheduler = new EndpointScheduler();
  readonly #lines: ReceiverLines;
  /** Of claims and records, since both need the node of an app. */
  readonly #heldBack: HeldBack;
  readonly #crews: Record<EndpointGroup, Crew>;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #inFlight = new Set<Promise<void>>();
  #isStopping = false;
  /** Polls in a row that succeeded. */
  #polls = POLLS_BEFORE_RECOVERY;
  /** The last webhook of the previous poll; null once a poll has reached the end. */
  #polledUpTo: string | null = null;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#sender = new Sender(deps);
    this.#heldBack = new HeldBack(deps);
    this.#lines = new ReceiverLines({ clock: deps.clock, goOn: (endpoint) => this.#goOn(endpoint) });
    this.#crews = { regular: this.#newCrew('regular'), unproven: this.#newCrew('unproven') };
    this.#poll = startLoop('webhook deliveries', POLL_INTERVAL_MS, deps.log, () => this.#pollDue());
  }

  /** Sends deliveries at once. To be called after the transaction that inserted them. */
  wake(deliveries: readonly Pick<DueRow, 'app_id' | 'webhook_id'>[]): void {
    for (const { app_id: appId, webhook_id: webhookId } of deliveries) {
      const endpoint = this.#scheduler.endpointOf(appId, webhookId);
      if (!this.#lines.isHeld(endpoint)) this.#scheduler.wake(appId, webhookId);
    }
    this.#runWorkers();
  }

  /** Sends what waits for a receiver that the webhook may have left. */
  release({ app_id: appId, id }: Pick<WebhookRow, 'app_id' | 'id'>): void {
    this.#lines.leave(this.#scheduler.endpointOf(appId, id));
    this.wake([{ app_id: appId, webhook_id: id }]);
  }

  /** Sends what waits in the pause that the webhook's receiver asked for: it is well again. */
  async endPause(webhook: WebhookRow): Promise<void> {
    const receiver = receiverOf(webhook);
    await endPause(this.#deps.db, this.#deps, receiver);
    this.#lines.endPause(receiver.id, this.#deps.clock.nowMs());
    this.release(webhook);
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
    const result = await this.#sender.send(attempt);
    await deps.db.transaction().execute((tx) => recordFinished(tx, deps, [{ attempt, result }]));
    if (result.success) await this.endPause(webhook);
    return result;
  }

  /** Waits for attempts in flight for a grace period, then interrupts the rest, and records all results. */
  async stop(): Promise<void> {
    const workers = [this.#crews.regular.worker, this.#crews.unproven.worker];
    const areIdle = () => Promise.all(workers.map((worker) => worker.idle()));
    this.#isStopping = true;
    for (const worker of workers) worker.hurry();
    await Promise.all([this.#poll.stop(), this.#heldBack.stop()]);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#lines.stop();
    await areIdle();
    await Promise.race([Promise.all(this.#inFlight), sleep(STOP_GRACE_MS, undefined, { ref: false })]);
    this.#sender.interrupt();
    await Promise.all(this.#inFlight);
    await areIdle();
    await this.#sender.close();
  }

  #newCrew(group: EndpointGroup): Crew {
    const { log } = this.#deps;
    const unrecorded = new UnrecordedAttempts({ log, heldBack: this.#heldBack });
    const takeBatch = () => this.#takeBatch(group, unrecorded);
    return { worker: new Worker({ log, pauseMs: PAUSES_MS[group], takeBatch }), unrecorded };
  }

  #runWorkers(): void {
    this.#crews.regular.worker.run();
    this.#crews.unproven.worker.run();
  }

  #goOn({ appId, webhookId }: Endpoint): void {
    this.#scheduler.wake(appId, webhookId);
    // Its further attempts may be of the other group.
    this.#runWorkers();
  }

  /** A batch records finished attempts and claims due deliveries, concurrently where the database allows it. */
  #takeBatch(group: EndpointGroup, unrecorded: UnrecordedAttempts): (() => Promise<void>) | null {
    const grants = this.#isStopping ? [] : this.#scheduler.next(group);
    const finished = unrecorded.take();
    if (grants.length === 0 && finished.length === 0) return null;
    return async () => {
      // A fault of one half does not undo the other.
      const halves = [this.#record(finished, unrecorded), this.#claim(grants)];
      for (const half of await Promise.allSettled(halves)) if (half.status === 'rejected') throw half.reason;
    };
  }

  async #record(finished: readonly FinishedAttempt[], unrecorded: UnrecordedAttempts): Promise<void> {
    if (finished.length === 0) return;
    const left = new Set(finished);
    try {
      await this.#heldBack.byAppIfAway(
        finished,
        ({ attempt }) => attempt.delivery.app_id,
        async (some) => {
          const recorded = await this.#inTransaction((tx) => recordFinished(tx, this.#deps, some));
          for (const each of some) left.delete(each);
          this.#onRecorded(recorded);
        },
      );
      unrecorded.recorded();
    } catch (error) {
      unrecorded.putBack([...left], error);
      throw error;
    }
  }

  #onRecorded({ retries, holds }: Recorded): void {
    for (const { receiverId, untilMs } of holds) this.#lines.hold(receiverId, untilMs);
    if (this.#isStopping) return;
    for (const retry of retries) this.#wakeWhenDue(retry);
  }

  #wakeWhenDue(retry: DueRow): void {
    const delayMs = Date.parse(retry.next_attempt_at) - this.#deps.clock.nowMs();
    if (delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake([retry]);
    }, Math.max(delayMs, 0) + TIMER_SLACK_MS).unref();
    this.#timers.add(timer);
  }

  async #claim(grants: readonly Grant[]): Promise<void> {
    // Those held back are polled again.
    const ready = grants.filter(({ endpoint }) => !this.#heldBack.has(endpoint.appId));
    if (ready.length === 0) return;
    const left = new Set(ready);
    try {
      await this.#heldBack.byAppIfAway(
        ready,
        ({ endpoint }) => endpoint.appId,
        async (some) => {
          const claims = await this.#inTransaction((tx) => claimDue(tx, this.#deps, some));
          for (const grant of some) left.delete(grant);
          for (const claimed of claims) this.#onClaimed(claimed);
        },
      );
    } catch (error) {
      for (const { endpoint } of left) this.#goOn(endpoint);
      throw error;
    }
  }

  #onClaimed({ endpoint, receiverId, attempts, heldUntilMs, hasMore }: Claimed): void {
    for (const attempt of attempts) {
      const sending = this.#send(endpoint, attempt).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
    // An earlier attempt was answered meanwhile, and its receiver asked for a pause.
    if (this.#lines.isHeld(endpoint)) return;
    this.#lines.leave(endpoint);
    if (receiverId !== null && heldUntilMs === null) this.#lines.pass(receiverId);
    if (receiverId !== null && heldUntilMs !== null && (hasMore || attempts.length === 0))
      this.#lines.wait(receiverId, endpoint, heldUntilMs);
    else if (hasMore) this.#goOn(endpoint);
  }

  async #send(endpoint: Endpoint, attempt: Attempt): Promise<void> {
    this.#scheduler.started(endpoint);
    const result = await this.#sender.send(attempt);
    this.#scheduler.finished(endpoint, result);
    if (result.pauseMs !== null) {
      // At once, since a claim may be on its way before the pause is in the database.
      const untilMs = this.#deps.clock.nowMs() + result.pauseMs;
      this.#scheduler.rest(endpoint);
      this.#lines.wait(attempt.target.receiver.id, endpoint, untilMs);
    }
    const crew = this.#crews[endpoint.state === 'failing' ? 'unproven' : 'regular'];
    crew.unrecorded.add({ attempt, result });
    crew.worker.run();
  }

  /** Table sizes change from none to a million rows within a minute, so cached plans do not fit. */
  async #inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#deps.db.transaction().execute(async (tx) => {
      await useCustomPlan(tx);
      return await work(tx);
    });
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
    const nowMs = this.#deps.clock.nowMs();
    if (polls >= POLLS_BEFORE_RECOVERY) await this.#recover();
    const webhooks = await listPendingWebhooks(this.#deps.db, this.#polledUpTo, WEBHOOKS_PER_POLL);
    this.#polledUpTo = webhooks.length < WEBHOOKS_PER_POLL ? null : (webhooks.at(-1)?.webhook_id ?? null);
    this.wake(webhooks.filter((webhook) => Date.parse(webhook.next_attempt_at) <= nowMs));
    await passEndedPauses(this.#deps, this.#lines);
    this.#polls = polls + 1;
  }
}
