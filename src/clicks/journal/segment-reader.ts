import { closeSync, openSync } from 'node:fs';
import { readFully } from './files.ts';
import { type Damage, decodeBatches } from './segment.ts';

/** A segment's file from an offset on. */
interface Part {
  readonly path: string;
  readonly offset: number;
  /** Of the whole segment, in bytes. */
  readonly length: number;
  /** Whether the process that wrote it may have ended in the middle of a write. */
  readonly mayBeCut: boolean;
}

export interface SegmentRead {
  /** The rows of each intact batch, a line each. */
  readonly batches: Buffer[];
  /** Damaged parts, by their offset in the file. */
  readonly damage: readonly Damage[];
  /** Bytes of the incomplete batch that a crash left at the end. */
  readonly cutBytes: number;
  readonly nextOffset: number;
}

/** Reads segments, one at a time. The file stays open between reads, which then need no new descriptor. */
export class SegmentReader {
  #open: { path: string; file: number } | null = null;

  /** Reads at most `maxBytes`, unless the first batch alone is longer. @throws the file system's error. */
  async read(part: Part, maxBytes: number): Promise<SegmentRead> {
    const { path, offset, length, mayBeCut } = part;
    const wanted = Math.min(length - offset, maxBytes);
    const isEnd = offset + wanted === length;
    const bytes = await readFully(this.#fileOf(path), Buffer.allocUnsafe(wanted), offset);
    const end = mayBeCut ? 'may be cut' : 'end';
    const { batches, cutBytes, ...decoded } = decodeBatches(bytes, isEnd ? end : 'more');
    if (decoded.length === 0 && !isEnd) return await this.read(part, maxBytes * 2);
    const damage = decoded.damage.map((each) => ({ ...each, offset: offset + each.offset }));
    const missing = isEnd ? wanted - bytes.length : 0;
    if (missing > 0) damage.push({ offset: length - missing, bytes: missing, lostRows: 1 });
    return { batches, damage, cutBytes, nextOffset: isEnd ? length : offset + decoded.length };
  }

  /** Closes the file where it is that one. */
  release(path: string): void {
    if (this.#open?.path !== path) return;
    closeSync(this.#open.file);
    this.#open = null;
  }

  /** Synchronous, so that no connection takes the descriptor between the close and the open. */
  #fileOf(path: string): number {
    if (this.#open !== null && this.#open.path !== path) this.release(this.#open.path);
    this.#open ??= { path, file: openSync(path, 'r') };
    return this.#open.file;
  }
}
