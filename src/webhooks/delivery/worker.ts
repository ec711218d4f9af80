/**
 * Runs batches one after another while there is work. A batch records finished attempts and claims due deliveries, each
 * in its own transaction, concurrently where the database allows it. Work that arrives during a commit forms the next
 * batch, so batches grow with the load.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Db,
  forEachReachable,
  isNodeAway,
  isUnavailable,
  type Transaction,
  useCustomPlan,
} from '../../db/index.ts';
import { type Clock, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { Attempt, FinishedAttempt } from './attempt.ts';
import { claimDue } from './claim-due.ts';
import type { Endpoint, Grant } from './endpoint-scheduler.ts';
import { HeldBack } from './held-back.ts';
import { recordFinished } from './record-finished.ts';

const RETRY_UNAVAILABLE_MS = SECOND_MS;
/** Short: after any other fault the next batch is smaller. */
const RETRY_REFUSED_MS = 50;
const MAX_RECORDS = 1_024;
const MAX_RESPONSE_CHARACTERS = 4_000_000;
/** Recorded in place of a response that the database refuses. */
const UNSTORABLE = { responseBody: '', errorMessage: 'The response could not be stored.' };

interface WorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
}

interface WorkerOptions {
  /** Leaves the database to other work between batches. */
  readonly pauseMs: number;
  readonly nextGrants: () => readonly Grant[];
  readonly wake: (endpoint: Endpoint) => void;
  readonly start: (endpoint: Endpoint, attempt: Attempt) => void;
  readonly onRecorded: (finished: FinishedAttempt) => void;
}

export class DeliveryWorker {
  readonly #deps: WorkerDeps;
  readonly #options: WorkerOptions;
  #finished: FinishedAttempt[] = [];
  /** Halved after each fault until a batch succeeds. */
  #maxRecords = MAX_RECORDS;
  /** Of both halves, since both need the node of an app. */
  readonly #heldBack = new HeldBack();
  #isStopping = false;
  #running: Promise<void> | null = null;

  constructor(deps: WorkerDeps, options: WorkerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Runs batches until no work is left, unless they already run. */
  run(): void {
    this.#running ??= this.#runBatches();
  }

  record(finished: FinishedAttempt): void {
    this.#finished.push(finished);
    this.run();
  }

  /** Claims nothing more; finished attempts are still recorded. */
  stopClaiming(): void {
    this.#isStopping = true;
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #runBatches(): Promise<void> {
    const { pauseMs, nextGrants } = this.#options;
    // Endpoints woken in the same tick share a batch.
    await Promise.resolve();
    for (;;) {
      const grants = this.#isStopping ? [] : nextGrants();
      // The dispatcher runs the worker again every second.
      if (grants.length === 0 && this.#finished.every((each) => this.#isHeldBack(each))) break;
      try {
        await this.#runBatch(grants);
        if (pauseMs > 0 && !this.#isStopping) await sleep(pauseMs);
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'Failed to claim or record webhook deliveries; will retry');
        // Unrecorded attempts are recovered as abandoned ones.
        if (this.#isStopping) break;
        await sleep(isUnavailable(error) ? RETRY_UNAVAILABLE_MS : RETRY_REFUSED_MS);
      }
    }
    // In the same tick as the last check for work, so that a later `run` starts anew.
    this.#running = null;
  }

  /** A fault of one half does not undo the other. */
  async #runBatch(grants: readonly Grant[]): Promise<void> {
    const results = await Promise.allSettled([this.#recordFinished(), this.#claimDue(grants)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #recordFinished(): Promise<void> {
    const { waiting = [], ready = [] } = Object.groupBy(this.#finished, (each) =>
      this.#isHeldBack(each) ? 'waiting' : 'ready',
    );
    const finished = ready.splice(0, this.#nextBatchSize(ready));
    this.#finished = [...ready, ...waiting];
    if (finished.length === 0) return;
    const left = new Set(finished);
    try {
      await this.#byAppIfAway(finished, appOfAttempt, async (some) => {
        await this.#inTransaction((tx) => recordFinished(tx, this.#deps, some));
        for (const each of some) {
          left.delete(each);
          this.#options.onRecorded(each);
        }
      });
      this.#maxRecords = MAX_RECORDS;
    } catch (error) {
      this.#finished = [...this.#afterFault([...left], error), ...this.#finished];
      throw error;
    }
  }

  async #claimDue(grants: readonly Grant[]): Promise<void> {
    const { start, wake } = this.#options;
    // Those held back are polled again.
    const ready = grants.filter((grant) => !this.#heldBack.has(appOfGrant(grant)));
    if (ready.length === 0) return;
    const left = new Set(ready);
    try {
      await this.#byAppIfAway(ready, appOfGrant, async (some) => {
        const claimed = await this.#inTransaction((tx) => claimDue(tx, this.#deps, some));
        for (const grant of some) left.delete(grant);
        for (const { endpoint, attempts, hasMore } of claimed) {
          for (const attempt of attempts) start(endpoint, attempt);
          if (hasMore) wake(endpoint);
        }
      });
    } catch (error) {
      for (const { endpoint } of left) wake(endpoint);
      throw error;
    }
  }

  /** Works for all apps in one transaction, or for each in its own if the node of one is away; that one is held back. */
  async #byAppIfAway<T>(
    items: readonly T[],
    appOf: (item: T) => string,
    work: (items: readonly T[]) => Promise<void>,
  ): Promise<void> {
    try {
      return await work(items);
    } catch (error) {
      if (!isNodeAway(error)) throw error;
    }
    const byApp = Map.groupBy(items, appOf);
    const away = new Set(byApp.keys());
    const one = async ([appId, ofApp]: [string, T[]]) => {
      await work(ofApp);
      away.delete(appId);
    };
    await forEachReachable(this.#deps.db, [...byApp], ([appId]) => appId, one).finally(() =>
      this.#heldBack.add(away),
    );
  }

  #isHeldBack(finished: FinishedAttempt): boolean {
    return this.#heldBack.has(appOfAttempt(finished));
  }

  /** Table sizes change from none to a million rows within a minute, so cached plans do not fit. */
  async #inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#deps.db.transaction().execute(async (tx) => {
      await useCustomPlan(tx);
      return await work(tx);
    });
  }

  /** Bounded by characters too, so that large responses do not make a transaction long. */
  #nextBatchSize(ready: readonly FinishedAttempt[]): number {
    let characters = 0;
    let count = 0;
    for (const { result } of ready.slice(0, this.#maxRecords)) {
      characters += result.responseBody.length;
      count += 1;
      if (characters >= MAX_RESPONSE_CHARACTERS) break;
    }
    return count;
  }

  /** @returns the attempts to record next. Halving isolates a record that the database refuses from all others. */
  #afterFault(finished: readonly FinishedAttempt[], error: unknown): readonly FinishedAttempt[] {
    const [first] = finished;
    if (first === undefined || isUnavailable(error)) return finished;
    this.#maxRecords = Math.ceil(finished.length / 2);
    if (finished.length > 1) return finished;
    if (first.result.errorMessage !== UNSTORABLE.errorMessage)
      return [{ ...first, result: { ...first.result, ...UNSTORABLE } }];
    this.#deps.log.error({ err: error }, 'Failed to record a webhook attempt; it will be sent again');
    return [];
  }
}

function appOfAttempt({ attempt: { delivery } }: FinishedAttempt): string {
  return delivery.app_id;
}

function appOfGrant({ endpoint }: Grant): string {
  return endpoint.appId;
}
