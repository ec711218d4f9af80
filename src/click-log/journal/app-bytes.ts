/** By app ID, in UTF-16 units, which are bytes for all but foreign scripts. */
export type BytesByApp = ReadonlyMap<string, number>;

/** How much of a journal's segments each app uses. */
export class AppBytes {
  readonly #bySegment = new Map<number, Map<string, number>>();
  readonly #total = new Map<string, number>();

  add(segment: number, bytes: BytesByApp): void {
    const ofSegment = this.#bySegment.get(segment) ?? new Map<string, number>();
    if (ofSegment.size === 0) this.#bySegment.set(segment, ofSegment);
    for (const [appId, added] of bytes) {
      ofSegment.set(appId, (ofSegment.get(appId) ?? 0) + added);
      this.#total.set(appId, this.of(appId) + added);
    }
  }

  drop(segment: number): void {
    for (const [appId, bytes] of this.#bySegment.get(segment) ?? []) {
      const left = this.of(appId) - bytes;
      if (left > 0) this.#total.set(appId, left);
      else this.#total.delete(appId);
    }
    this.#bySegment.delete(segment);
  }

  of(appId: string): number {
    return this.#total.get(appId) ?? 0;
  }
}
