import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import { freeBeyondReserve } from '../../lib/free-space.ts';

const CHECK_EVERY_MS = SECOND_MS;

/**
 * Free disk space that clicks do not use. Taps need no key, so without the reserve a flood of them would also stop
 * installs, events and erasures.
 */
export class DiskReserve {
  readonly #directory: string;
  #isReached = false;
  #checkedAtMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whether only the reserve is left, as of the last check. Starts a new check at most once a second. */
  get isReached(): boolean {
    if (monotonicMs() - this.#checkedAtMs >= CHECK_EVERY_MS) void this.check();
    return this.#isReached;
  }

  /** Never rejects. */
  async check(): Promise<void> {
    this.#checkedAtMs = monotonicMs();
    try {
      this.#isReached = (await freeBeyondReserve(this.#directory)) < 0;
    } catch {
      // A failing disk also fails writes, which report it.
    }
  }
}
