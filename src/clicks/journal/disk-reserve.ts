import { statfs } from 'node:fs/promises';
import { monotonicMs, SECOND_MS } from '../../platform/clock.ts';

const MIB = 1024 * 1024;
const SHARE = 0.05;
const LEAST_BYTES = 64 * MIB;
const MOST_BYTES = 1024 * MIB;
const LOOK_EVERY_MS = SECOND_MS;

/**
 * Free disk space that clicks leave to everything else: 5 % of the file system, at least 64 MiB and at most 1 GiB.
 * Taps need no key, so without it a flood of them would stop installs, events and erasures too.
 */
export class DiskReserve {
  readonly #directory: string;
  #isReached = false;
  #lookedAtMs = 0;
  #looking: Promise<void> | null = null;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Looks at the file system of `directory`. */
  static async open(directory: string): Promise<DiskReserve> {
    const reserve = new DiskReserve(directory);
    await reserve.look();
    return reserve;
  }

  /** Whether only the reserve is left, as of the last look. Reading it has a look begin at most once a second. */
  get isReached(): boolean {
    if (monotonicMs() - this.#lookedAtMs >= LOOK_EVERY_MS) void this.look();
    return this.#isReached;
  }

  /** Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #read(): Promise<void> {
    this.#lookedAtMs = monotonicMs();
    try {
      const { bavail, blocks, bsize } = await statfs(this.#directory);
      const reserve = Math.min(Math.max(blocks * bsize * SHARE, LEAST_BYTES), MOST_BYTES);
      this.#isReached = bavail * bsize < reserve;
    } catch {
      // A disk that fails fails the writes too, and they report it.
    }
  }
}
