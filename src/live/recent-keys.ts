import { isoTime, SECOND_MS } from '../lib/clock.ts';
import type { RecordKey } from '../records/index.ts';

/** A key with its number in the order in which this process read the keys. */
export interface NumberedKey extends RecordKey {
  readonly number: number;
}

/** Longer than any read looks back, so that no key is forgotten and read again. */
const KEPT_MS = 70 * SECOND_MS;
/** Some 2 MB. */
const MAX_KEYS = 5_000;

/** The records of an app of the last minute, without their contents, each once. */
export class RecentKeys {
  /** Numbers are consecutive. */
  #keys: NumberedKey[] = [];
  readonly #known = new Set<string>();
  readonly #max: number;
  /** Keys up to this time of recording may have been forgotten. */
  #forgottenAt = '';
  /** Number of the newest key. */
  #last = 0;

  constructor(max = MAX_KEYS) {
    this.#max = max;
  }

  get last(): number {
    return this.#last;
  }

  get first(): number {
    return this.#last - this.#keys.length + 1;
  }

  /** From where to read, given from where a read wants to: what was forgotten must not be read again. */
  readableAfter(after: string, nowMs: number): string {
    // After the clock was set back, the bound would hide new records.
    const bound = this.#forgottenAt <= isoTime(nowMs) ? this.#forgottenAt : '';
    return after > bound ? after : bound;
  }

  /** Numbers the keys that are new, oldest first. @returns the keys that were forgotten. */
  add(keys: readonly RecordKey[], nowMs: number): readonly NumberedKey[] {
    const added = keys.filter((key) => !this.#known.has(nameOf(key))).sort(byTime);
    for (const key of added) {
      this.#last += 1;
      this.#keys.push({ ...key, number: this.#last });
      this.#known.add(nameOf(key));
    }
    return this.#forget(isoTime(nowMs - KEPT_MS));
  }

  /** The keys after a number, oldest first. */
  *after(number: number): Generator<NumberedKey> {
    for (let index = Math.max(0, number + 1 - this.first); index < this.#keys.length; index += 1)
      yield this.#keys[index] as NumberedKey;
  }

  /** The first key, as they are numbered, that was recorded at a time or later. */
  firstSince(at: string): NumberedKey | undefined {
    return this.#keys.find((key) => key.at >= at);
  }

  #forget(before: string): readonly NumberedKey[] {
    const firstKept = this.#keys.findIndex(
      ({ at }, index) => at >= before && this.#keys.length - index <= this.#max,
    );
    const forgotten = this.#keys.splice(0, firstKept === -1 ? this.#keys.length : firstKept);
    for (const key of forgotten) {
      this.#known.delete(nameOf(key));
      if (key.at > this.#forgottenAt) this.#forgottenAt = key.at;
    }
    return forgotten;
  }
}

function nameOf({ table, id }: RecordKey): string {
  return `${table} ${id}`;
}

function byTime(a: RecordKey, b: RecordKey): number {
  return a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1;
}
