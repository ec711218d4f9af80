import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';

/** A silent node costs each statement some seconds, in which a worker serves no other app. */
const HELD_BACK_MS = 10 * SECOND_MS;

/** Apps whose node is away: nothing of them is claimed or recorded for a while. */
export class HeldBack {
  readonly #untilMs = new Map<string, number>();

  add(appIds: Iterable<string>): void {
    for (const appId of appIds) this.#untilMs.set(appId, monotonicMs() + HELD_BACK_MS);
  }

  has(appId: string): boolean {
    const untilMs = this.#untilMs.get(appId);
    if (untilMs === undefined) return false;
    if (monotonicMs() < untilMs) return true;
    this.#untilMs.delete(appId);
    return false;
  }
}
