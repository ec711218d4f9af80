import { rm } from 'node:fs/promises';
import { closeFile, openSynced, writeFully } from './files.ts';

/** Few writes, each short enough not to delay clicks. */
const SLICE_BYTES = 128 * 1024;
const ZEROS = Buffer.alloc(SLICE_BYTES);

/**
 * Opens and preallocates the file of the next segment: a synced write that extends a file takes twice as long, and later
 * there may be no free file descriptor. The file grows as fast as the current segment, since writing megabytes at once
 * would delay clicks.
 */
export class NextSegment {
  readonly #path: string;
  readonly #bytes: number;
  #file: number | null = null;
  #target = 0;
  #filled = 0;
  #settled: Promise<void>;

  /** @param bytes the final size. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
    this.#settled = openSynced(path)
      .then((file) => {
        this.#file = file;
      })
      .catch(() => this.#discard());
  }

  /** After a failed write the file is removed: preallocation is optional. */
  fillTo(end: number): void {
    if (end <= this.#target || this.#target === this.#bytes) return;
    const target = Math.min(this.#bytes, Math.ceil(end / SLICE_BYTES) * SLICE_BYTES);
    this.#target = target;
    this.#settled = this.#settled.then(() => this.#fill(target)).catch(() => this.#discard());
  }

  /** Hands over the open file, filled or not; null if it could not be prepared. */
  async take(): Promise<number | null> {
    this.#target = this.#bytes;
    await this.#settled;
    const file = this.#file;
    this.#file = null;
    return file;
  }

  async remove(): Promise<void> {
    const file = await this.take();
    if (file !== null) await closeFile(file);
    await rm(this.#path, { force: true });
  }

  async #fill(end: number): Promise<void> {
    while (this.#file !== null && this.#filled < end) {
      const length = Math.min(SLICE_BYTES, end - this.#filled);
      await writeFully(this.#file, ZEROS.subarray(0, length), this.#filled);
      this.#filled += length;
    }
  }

  async #discard(): Promise<void> {
    this.#target = this.#bytes;
    const file = this.#file;
    this.#file = null;
    if (file !== null) await closeFile(file).catch(() => undefined);
    // If this fails too, starting the segment reports the error.
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
