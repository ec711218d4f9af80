/** Random values from a seed, so that a failure can be repeated. */

/** Mulberry32 (github.com/bryc/code, jshash/PRNGs.md). */
export class RandomValues {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to `below` - 1. */
  integer(below: number): number {
    return Math.floor(this.#next() * below);
  }

  oneIn(count: number): boolean {
    return this.integer(count) === 0;
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('the list is empty');
    return values[this.integer(values.length)] as T;
  }

  list<T>(maxLength: number, make: () => T): T[] {
    return Array.from({ length: this.integer(maxLength + 1) }, make);
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
