/**
 * Turns, one after the other as long as there is anything to do. A turn records how attempts ended, and takes what is due
 * for lanes with free places, each in a transaction of its own, at the same time where the database can. While a turn is
 * committed, more attempts end and more becomes due, so that under load turns grow by themselves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../platform/clock.ts';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { isUnavailable } from '../../platform/db/index.ts';
import type { Attempt, Ended } from './attempt.ts';
import type { Asked, Lane } from './lanes.ts';
import { recordEnded } from './record-ended.ts';
import { takeDue } from './take-due.ts';

const WAIT_AFTER_FAULT_MS = SECOND_MS;
/** A refusal is met by recording less at once, which needs no patience. */
const WAIT_AFTER_REFUSAL_MS = 50;
const MAX_RECORDED = 1_024;
const MAX_CHARACTERS = 4_000_000;

interface TurnsOptions {
  /** Between turns others have the database to themselves. */
  readonly pauseMs: number;
  /** The lanes that are next. */
  readonly next: () => readonly Asked[];
  readonly wake: (lane: Lane) => void;
  readonly begin: (lane: Lane, attempt: Attempt) => void;
  /** It is in the log how an attempt ended. */
  readonly recorded: (ended: Ended) => void;
}

export class Turns {
  readonly #ctx: Ctx;
  readonly #options: TurnsOptions;
  #ended: Ended[] = [];
  /** Less after a fault, until a turn succeeds. */
  #maxRecorded = MAX_RECORDED;
  #isStopping = false;
  #underWay: Promise<void> | null = null;

  constructor(ctx: Ctx, options: TurnsOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Something may be due. */
  take(): void {
    this.#underWay ??= this.#takeWhileNeeded();
  }

  /** An attempt ended and is to be recorded. */
  record(ended: Ended): void {
    this.#ended.push(ended);
    this.take();
  }

  /** Nothing more is taken; what ends is still recorded. */
  stopTaking(): void {
    this.#isStopping = true;
  }

  async idle(): Promise<void> {
    await this.#underWay;
  }

  async #takeWhileNeeded(): Promise<void> {
    const { pauseMs } = this.#options;
    // What is woken in one go makes one turn.
    await Promise.resolve();
    for (;;) {
      const asked = this.#isStopping ? [] : this.#options.next();
      if (asked.length === 0 && this.#ended.length === 0) break;
      try {
        await this.#turn(asked);
        if (pauseMs > 0 && !this.#isStopping) await sleep(pauseMs);
      } catch (error) {
        this.#ctx.log.warn({ err: error }, 'webhook deliveries could not be recorded; it is tried again');
        // At a stop nobody tries again: what is not recorded is taken over.
        if (this.#isStopping) break;
        await sleep(isUnavailable(error) ? WAIT_AFTER_FAULT_MS : WAIT_AFTER_REFUSAL_MS);
      }
    }
    // In the same instant as nothing was left to do: whoever comes later starts anew.
    this.#underWay = null;
  }

  /** Neither needs the other, and neither is undone by the other's fault. */
  async #turn(asked: readonly Asked[]): Promise<void> {
    const done = await Promise.allSettled([this.#storeEnded(), this.#takeDue(asked)]);
    for (const each of done) if (each.status === 'rejected') throw each.reason;
  }

  async #storeEnded(): Promise<void> {
    const ended = this.#ended.splice(0, this.#recordedAtOnce());
    if (ended.length === 0) return;
    try {
      await this.#inTransaction((tx) => recordEnded(tx, ended));
      this.#maxRecorded = MAX_RECORDED;
      for (const each of ended) this.#options.recorded(each);
    } catch (error) {
      this.#ended = [...this.#afterFault(ended, error), ...this.#ended];
      throw error;
    }
  }

  async #takeDue(asked: readonly Asked[]): Promise<void> {
    if (asked.length === 0) return;
    const { begin, wake } = this.#options;
    try {
      const taken = await this.#inTransaction((tx) => takeDue(tx, asked));
      for (const { lane, attempts, isMoreDue } of taken) {
        for (const attempt of attempts) begin(lane, attempt);
        if (isMoreDue) wake(lane);
      }
    } catch (error) {
      for (const { lane } of asked) wake(lane);
      throw error;
    }
  }

  /** What waits and what is under way may be nothing now and a million in a minute. */
  async #inTransaction<T>(work: (tx: Ctx) => Promise<T>): Promise<T> {
    return await inTransaction(this.#ctx, async (tx) => {
      await tx.store.planAfresh(tx.db);
      return await work(tx);
    });
  }

  /** A turn is bounded by what it carries too, so that it is short whatever receivers answer. */
  #recordedAtOnce(): number {
    let characters = 0;
    let count = 0;
    for (const { outcome } of this.#ended.slice(0, this.#maxRecorded)) {
      characters += outcome.responseBody.length;
      count += 1;
      if (characters >= MAX_CHARACTERS) break;
    }
    return count;
  }

  /** What is to be recorded instead. One record that the database never takes must not hold up all others. */
  #afterFault(ended: readonly Ended[], error: unknown): readonly Ended[] {
    const [first] = ended;
    if (first === undefined || isUnavailable(error)) return ended;
    this.#maxRecorded = Math.ceil(ended.length / 2);
    if (ended.length > 1) return ended;
    if (first.outcome.errorMessage !== UNSTORABLE.errorMessage)
      return [{ ...first, outcome: { ...first.outcome, ...UNSTORABLE } }];
    this.#ctx.log.error({ err: error }, 'how a webhook attempt ended cannot be recorded; it is made again');
    return [];
  }
}

/** What is recorded of an attempt whose end the database does not take. */
const UNSTORABLE = { responseBody: '', errorMessage: 'The answer could not be stored.' };
