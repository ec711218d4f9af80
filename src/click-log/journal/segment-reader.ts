import { closeSync, openSync } from 'node:fs';
import { readFully } from './files.ts';
import { type Damage, decodeBatches } from './segment.ts';

interface SegmentPart {
  readonly path: string;
  readonly offset: number;
  /** Size of the segment. */
  readonly length: number;
  /** Whether a crash may have cut the last write. */
  readonly mayBeCut: boolean;
}

export interface SegmentRead {
  /** The rows of each intact batch, one per line. */
  readonly batches: Buffer[];
  /** With offsets in the file. */
  readonly damage: readonly Damage[];
  /** Size of an incomplete batch at the end. */
  readonly cutBytes: number;
  readonly nextOffset: number;
}

/** Keeps the file open between reads, so that a read needs no free file descriptor. */
export class SegmentReader {
  #open: { path: string; file: number } | null = null;

  /** Reads at most `maxBytes`, but at least one batch. @throws a file system error. */
  async read(part: SegmentPart, maxBytes: number): Promise<SegmentRead> {
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

  release(path: string): void {
    if (this.#open?.path !== path) return;
    closeSync(this.#open.file);
    this.#open = null;
  }

  /** Synchronous, so that no connection takes the file descriptor between close and open. */
  #fileOf(path: string): number {
    if (this.#open !== null && this.#open.path !== path) this.release(this.#open.path);
    this.#open ??= { path, file: openSync(path, 'r') };
    return this.#open.file;
  }
}
