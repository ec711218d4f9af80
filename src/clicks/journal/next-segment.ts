import { rm } from 'node:fs/promises';
import { closeFile, makeSynced, writeFully } from './files.ts';

/** So much at once that it costs few writes, and so little that a batch of clicks beside it hardly waits. */
const SLICE_BYTES = 128 * 1024;
const ZEROS = Buffer.alloc(SLICE_BYTES);

/**
 * The file of the segment that is used next, opened and filled with zeros ahead of its use: a write that makes a file longer
 * takes twice as long to reach the disk, and when the segment starts there may be no file descriptor left. It is filled as
 * fast as the segment before it is used up, since megabytes at once would have every click beside them wait.
 */
export class NextSegment {
  readonly #path: string;
  readonly #bytes: number;
  #file: number | null = null;
  #wanted = 0;
  #filled = 0;
  #settled: Promise<void>;

  /** @param bytes how long the file becomes. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
    this.#settled = makeSynced(path)
      .then((file) => {
        this.#file = file;
      })
      .catch(() => this.#giveUp());
  }

  /** Where the disk does not take it, the file goes: it is only a help. */
  fillTo(end: number): void {
    if (end <= this.#wanted || this.#wanted === this.#bytes) return;
    const wanted = Math.min(this.#bytes, Math.ceil(end / SLICE_BYTES) * SLICE_BYTES);
    this.#wanted = wanted;
    this.#settled = this.#settled.then(() => this.#fill(wanted)).catch(() => this.#giveUp());
  }

  /** Gives the file away, however much of it is filled; null where there is none. */
  async take(): Promise<number | null> {
    this.#wanted = this.#bytes;
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

  async #giveUp(): Promise<void> {
    this.#wanted = this.#bytes;
    const file = this.#file;
    this.#file = null;
    if (file !== null) await closeFile(file).catch(() => undefined);
    // Where not even that works, starting the segment fails, and says why.
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
