/** Seeded pseudo-random numbers (Mulberry32): the same seed gives the same traffic on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Spreads neighbouring seeds, whose sequences would otherwise begin alike.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An integer, both bounds included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** The weights need not add up to 1. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let left = this.next() * list.reduce((sum, { weight }) => sum + weight, 0);
    for (const one of list) {
      left -= one.weight;
      if (left < 0) return one;
    }
    return list[list.length - 1] as T;
  }

  /** A key by its weight. */
  key<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const list = Object.entries<number | undefined>(weights).map(([key, weight]) => ({
      key: key as K,
      weight: weight ?? 0,
    }));
    return this.weighted(list).key;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** @param spread standard deviation of the logarithm. */
  logNormal(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.between(0, 15).toString(16)).join('');
  }

  /** A UUIDv7. */
  uuid(atMs: number): string {
    const time = atMs.toString(16).padStart(12, '0');
    const tail = `7${this.hex(3)}-${this.pick(['8', '9', 'a', 'b'])}${this.hex(3)}-${this.hex(12)}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail}`;
  }
}
