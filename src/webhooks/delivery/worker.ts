/**
 * Runs batches one after another while there is work. A batch records finished attempts and claims due deliveries, each
 * in its own transaction, concurrently where the database allows it. Work that arrives during a commit forms the next
 * batch, so batches grow with the load.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isUnavailable, type Transaction, useCustomPlan } from '../../db/index.ts';
import { type Clock, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Secrets } from '../../lib/secrets.ts';
import type { Attempt, FinishedAttempt } from './attempt.ts';
import { claimDue } from './claim-due.ts';
import type { Endpoint, Grant } from './endpoint-scheduler.ts';
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
      if (grants.length === 0 && this.#finished.length === 0) break;
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
    const finished = this.#finished.splice(0, this.#nextBatchSize());
    if (finished.length === 0) return;
    try {
      await this.#inTransaction((tx) => recordFinished(tx, this.#deps, finished));
      this.#maxRecords = MAX_RECORDS;
      for (const each of finished) this.#options.onRecorded(each);
    } catch (error) {
      this.#finished = [...this.#afterFault(finished, error), ...this.#finished];
      throw error;
    }
  }

  async #claimDue(grants: readonly Grant[]): Promise<void> {
    if (grants.length === 0) return;
    const { start, wake } = this.#options;
    try {
      for (const { endpoint, attempts, hasMore } of await this.#inTransaction((tx) =>
        claimDue(tx, this.#deps, grants),
      )) {
        for (const attempt of attempts) start(endpoint, attempt);
        if (hasMore) wake(endpoint);
      }
    } catch (error) {
      for (const { endpoint } of grants) wake(endpoint);
      throw error;
    }
  }

  /** Table sizes change from none to a million rows within a minute, so cached plans do not fit. */
  async #inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#deps.db.transaction().execute(async (tx) => {
      await useCustomPlan(tx);
      return await work(tx);
    });
  }

  /** Bounded by characters too, so that large responses do not make a transaction long. */
  #nextBatchSize(): number {
    let characters = 0;
    let count = 0;
    for (const { result } of this.#finished.slice(0, this.#maxRecords)) {
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
