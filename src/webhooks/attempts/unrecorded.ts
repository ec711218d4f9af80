import { isUnavailable } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import type { FinishedAttempt } from './attempt.ts';
import type { HeldBack } from './held-back.ts';

const MAX_RECORDS = 1_024;
const MAX_RESPONSE_CHARACTERS = 4_000_000;
/** Recorded in place of a response that the database refuses. */
const UNSTORABLE = { responseBody: '', errorMessage: 'The response could not be stored.' };

/** Finished attempts until they are in the log. */
export class UnrecordedAttempts {
  readonly #log: Log;
  readonly #heldBack: HeldBack;
  #attempts: FinishedAttempt[] = [];
  /** Halved after each fault until a batch succeeds. */
  #maxRecords = MAX_RECORDS;

  constructor({ log, heldBack }: { log: Log; heldBack: HeldBack }) {
    this.#log = log;
    this.#heldBack = heldBack;
  }

  add(finished: FinishedAttempt): void {
    this.#attempts.push(finished);
  }

  /** Takes the next ones to record, bounded by characters too, so that large responses do not make a transaction long. */
  take(): readonly FinishedAttempt[] {
    const { waiting = [], ready = [] } = Object.groupBy(this.#attempts, ({ attempt }) =>
      this.#heldBack.has(attempt.row.app_id) ? 'waiting' : 'ready',
    );
    let characters = 0;
    let count = 0;
    for (const { result } of ready.slice(0, this.#maxRecords)) {
      characters += result.responseBody.length;
      count += 1;
      if (characters >= MAX_RESPONSE_CHARACTERS) break;
    }
    this.#attempts = [...ready.slice(count), ...waiting];
    return ready.slice(0, count);
  }

  /** The ones taken are in the log. */
  recorded(): void {
    this.#maxRecords = MAX_RECORDS;
  }

  /** The ones taken could not be recorded. Halving isolates one that the database refuses from all others. */
  putBack(taken: readonly FinishedAttempt[], error: unknown): void {
    this.#attempts = [...this.#afterFault(taken, error), ...this.#attempts];
  }

  #afterFault(taken: readonly FinishedAttempt[], error: unknown): readonly FinishedAttempt[] {
    const [first] = taken;
    if (first === undefined || isUnavailable(error)) return taken;
    this.#maxRecords = Math.ceil(taken.length / 2);
    if (taken.length > 1) return taken;
    if (first.result.errorMessage !== UNSTORABLE.errorMessage)
      return [{ ...first, result: { ...first.result, ...UNSTORABLE } }];
    this.#log.error({ err: error }, 'Failed to record a webhook attempt; it will be sent again');
    return [];
  }
}
