import { rm } from 'node:fs/promises';
import { closeFile, openSynced, writeFully } from './files.ts';

/** So much at once that it costs few writes, and so little that a batch of clicks beside it hardly waits. */
const SLICE_BYTES = 128 * 1024;
const ZEROS = Buffer.alloc(SLICE_BYTES);

/**
 * The file of the segment that is used next, filled with zeros ahead of its use: a write that makes a file longer takes
 * twice as long to reach the disk. It is filled as fast as the segment before it is used up, since megabytes at once would
 * have every click beside them wait.
 */
export class NextSegment {
  readonly #path: string;
  readonly #bytes: number;
  #file: number | null = null;
  #wanted = 0;
  #filled = 0;
  #settled: Promise<void> = Promise.resolve();

  /** @param bytes how long the file becomes. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  /** Where the disk does not take it, the file goes: it is only a help. */
  fillTo(end: number): void {
    if (end <= this.#wanted || this.#wanted === this.#bytes) return;
    const wanted = Math.min(this.#bytes, Math.ceil(end / SLICE_BYTES) * SLICE_BYTES);
    this.#wanted = wanted;
    this.#settled = this.#settled.then(() => this.#fill(wanted)).catch(() => this.#giveUp());
  }

  /** Resolves when nobody writes to the file any more, however much of it is filled. */
  async settle(): Promise<void> {
    this.#wanted = this.#bytes;
    await this.#settled;
    await this.#close();
  }

  async remove(): Promise<void> {
    await this.settle();
    await rm(this.#path, { force: true });
  }

  async #fill(end: number): Promise<void> {
    this.#file ??= await openSynced(this.#path);
    while (this.#filled < end) {
      const length = Math.min(SLICE_BYTES, end - this.#filled);
      await writeFully(this.#file, ZEROS.subarray(0, length), this.#filled);
      this.#filled += length;
    }
  }

  async #giveUp(): Promise<void> {
    this.#wanted = this.#bytes;
    await this.#close().catch(() => undefined);
    // Where not even that works, starting the segment fails, and says why.
    await rm(this.#path, { force: true }).catch(() => undefined);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await closeFile(file);
  }
}
