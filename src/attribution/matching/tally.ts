/**
 * Counts by key; of too many keys the oldest are forgotten. There is one for each app and purpose, so it takes no more
 * room than what it holds.
 */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #maxKeys: number;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
    if (this.#counts.size <= this.#maxKeys) return;
    const [oldest = key] = this.#counts.keys();
    this.#counts.delete(oldest);
  }
}
