/**
 * The write-ahead journal of clicks: a row is on disk before its redirect is sent.
 *
 * Group commit without a timer: rows are buffered during a write and form the next one. Segments are preallocated
 * (`NextSegment`), read in order from the oldest, and removed once their rows are in the database. A new process appends to
 * a new segment. One process per directory: two writers would use the same segment number. Beside the main journal a
 * directory may have journals of lanes, each with the rows of one app.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppBytes, type BytesByApp } from './app-bytes.ts';
import { DiskReserve } from './disk-reserve.ts';
import { closeFile, openSynced, renameIfPresent, truncateFile, writeFully } from './files.ts';
import { JournalFull, refusalOf } from './journal-full.ts';
import { NextSegment } from './next-segment.ts';
import { damagedName, encodeRows, type Position, segmentFile, segmentName } from './segment.ts';
import { type SegmentRead, SegmentReader } from './segment-reader.ts';

export interface JournalLimits {
  /** A segment is closed once it has this size. */
  readonly segmentBytes: number;
  /** Rows are refused while the segments have this total size. */
  readonly maxBytes: number;
}

interface JournalRead extends Omit<SegmentRead, 'nextOffset'> {
  /** Position after the batches; `from` if everything on disk was read. */
  readonly next: Position;
}

interface Write {
  readonly rows: string[];
  readonly bytesByApp: Map<string, number>;
  isLastOfSegment: boolean;
  readonly written: PromiseWithResolvers<void>;
}

/** Bounds memory while the disk stalls: about 30 MB, plus that of the waiting requests. */
const MAX_BUFFERED_ROWS = 100_000;
const TOO_SLOW = 'The disk of the click journal is too slow.';

export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  /** Of a lane; null for the main journal. */
  readonly #appId: string | null;
  readonly #reserve: DiskReserve;
  /** Sizes in bytes by segment number, oldest first. */
  readonly #segments = new Map<number, number>();
  #bytesOnDisk = 0;
  readonly #appBytes = new AppBytes();
  #current: { number: number; file: number } | null = null;
  #nextNumber = 1;
  /** Preallocated file of segment `#nextNumber`. */
  #next: NextSegment | null = null;
  /** Segments below it were written by earlier processes and may end in an incomplete write. */
  #firstOwn = 1;
  /** Damaged segments are renamed rather than removed. */
  readonly #damaged = new Set<number>();
  readonly #reader = new SegmentReader();
  #buffered: Write | null = null;
  #writing: Promise<void> | null = null;
  /** Called with the duration of every successful write. */
  onTimed: (ms: number) => void = () => undefined;
  /** Called after every successful write, with the apps of its rows. */
  onWritten: (bytes: BytesByApp) => void = () => undefined;
  /** Awaited between two writes, to slow down the senders of rows. */
  throttle: () => Promise<void> | undefined = () => undefined;
  /** The space that is left; the journals of a directory share it. */
  freeBytes: () => number = () => this.#limits.maxBytes - this.#bytesOnDisk;

  private constructor(directory: string, limits: JournalLimits, appId: string | null) {
    this.#directory = directory;
    this.#limits = limits;
    this.#appId = appId;
    this.#reserve = new DiskReserve(directory);
  }

  /** Opens the journal in an existing directory, with the segments found there. @param appId of a lane. */
  static async open(directory: string, limits: JournalLimits, appId: string | null = null): Promise<Journal> {
    const journal = new Journal(directory, limits, appId);
    await journal.#reserve.check();
    const files = (await readdir(directory)).map(segmentFile).filter((file) => file?.appId === appId);
    const numbers = files.flatMap((file) => (file === null || file.isDamaged ? [] : [file.number]));
    for (const number of numbers.sort((a, b) => a - b)) {
      const { size } = await stat(journal.#path(number));
      journal.#segments.set(number, size);
      journal.#bytesOnDisk += size;
      if (appId !== null) journal.#appBytes.add(number, new Map([[appId, size]]));
    }
    // Reusing the number of a damaged segment could overwrite its file.
    journal.#nextNumber = Math.max(0, ...files.map((file) => file?.number ?? 0)) + 1;
    journal.#firstOwn = journal.#nextNumber;
    return journal;
  }

  /** Total size of the segments that are not dropped. */
  get bytesOnDisk(): number {
    return this.#bytesOnDisk;
  }

  /** Everything before this position is on disk. */
  get end(): Position {
    const number = this.#current?.number ?? this.#nextNumber;
    return { segment: number, offset: this.#segments.get(number) ?? 0 };
  }

  /** Start of the oldest segment. */
  get start(): Position {
    return { segment: this.#segments.keys().next().value ?? this.#nextNumber, offset: 0 };
  }

  bytesAfter({ segment, offset }: Position): number {
    let bytes = 0;
    for (const [number, length] of this.#segments)
      if (number >= segment) bytes += number === segment ? Math.max(0, length - offset) : length;
    return bytes;
  }

  /** Size of an app's rows in the segments; in the main journal without those of earlier processes. */
  bytesOf(appId: string): number {
    return this.#appBytes.of(appId);
  }

  /**
   * Resolves when the row is on disk. Rows of one write share the promise.
   * @param row without line feeds.
   * @throws JournalFull or a file system error; then the row is not in the journal.
   */
  append(row: string, appId: string): Promise<void> {
    const refusal = this.#refusal(appId);
    if (refusal !== null) return Promise.reject(refusal);
    const write = this.#openWrite();
    if (write.rows.length >= MAX_BUFFERED_ROWS) return Promise.reject(new JournalFull(TOO_SLOW));
    addRow(write, row, appId);
    return write.written.promise;
  }

  /** Takes rows of an app from another journal of the directory: no limit refuses them. @throws a file system error. */
  async take(rows: readonly string[], appId: string): Promise<void> {
    const write = this.#openWrite();
    for (const row of rows) addRow(write, row, appId);
    await write.written.promise;
  }

  /** Writes an empty batch, to find out whether rows can be written again. @throws as `append`. */
  async probe(): Promise<void> {
    await this.#reserve.check();
    const refusal = this.#refusal(null);
    if (refusal !== null) throw refusal;
    await this.#openWrite().written.promise;
  }

  #refusal(appId: string | null): JournalFull | null {
    const appBytes = appId === null ? 0 : this.#appBytes.of(appId);
    return refusalOf({ freeBytes: this.freeBytes(), appBytes, isReserveReached: this.#reserve.isReached });
  }

  /**
   * Reads batches from a position on: at most `maxBytes`, but at least one batch. One read at a time.
   * @throws a file system error.
   */
  async read(from: Position, maxBytes: number): Promise<JournalRead> {
    const length = this.#segments.get(from.segment);
    const isCurrent =
      this.#current === null ? from.segment >= this.#nextNumber : from.segment === this.#current.number;
    if (length === undefined || from.offset >= length)
      return { batches: [], next: isCurrent ? from : this.#after(from), damage: [], cutBytes: 0 };

    const mayBeCut = from.segment < this.#firstOwn;
    const part = { path: this.#path(from.segment), offset: from.offset, length, mayBeCut };
    const { nextOffset, ...found } = await this.#reader.read(part, maxBytes);
    if (found.damage.length > 0) this.#damaged.add(from.segment);
    return { ...found, next: { segment: from.segment, offset: nextOffset } };
  }

  /**
   * Removes the segments that end before a position; damaged ones are renamed to `*.damaged`.
   * @returns the number of renamed segments.
   * @throws a file system error.
   */
  async dropBefore(position: Position): Promise<number> {
    let kept = 0;
    for (const [number, length] of this.#segments) {
      if (number >= position.segment) break;
      const path = this.#path(number);
      this.#reader.release(path);
      // The applier and a flush may run this at the same time.
      if (!this.#damaged.has(number)) await rm(path, { force: true });
      else if (await renameIfPresent(path, join(this.#directory, damagedName(number, this.#appId))))
        kept += 1;
      if (this.#segments.delete(number)) this.#bytesOnDisk -= length;
      this.#appBytes.drop(number);
    }
    return kept;
  }

  /** Ends the current segment, so that all rows so far can be dropped. */
  async rotate(): Promise<void> {
    if (this.#writing === null) return await this.#endSegment();
    // Not with the running write: earlier rows may be buffered behind it.
    const write = this.#openWrite();
    write.isLastOfSegment = true;
    await write.written.promise;
  }

  /** Waits for pending writes. A later `append` opens a new segment. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#endSegment();
    await this.#next?.remove();
  }

  #openWrite(): Write {
    this.#buffered ??= newWrite();
    this.#writing ??= this.#writeAll();
    return this.#buffered;
  }

  async #writeAll(): Promise<void> {
    // Requests of the same event loop iteration share the first write.
    await new Promise(setImmediate);
    for (let write = this.#takeWrite(); write !== null; write = this.#takeWrite()) {
      try {
        await this.#writeBatches(write);
        if (write.isLastOfSegment) await this.#endSegment();
        write.written.resolve();
        this.onWritten(write.bytesByApp);
        await this.throttle();
      } catch (error) {
        write.written.reject(error);
      }
    }
    this.#writing = null;
  }

  #takeWrite(): Write | null {
    const write = this.#buffered;
    this.#buffered = null;
    return write;
  }

  async #writeBatches({ rows, bytesByApp }: Write): Promise<void> {
    const bytes = encodeRows(rows);
    const { number, file } = this.#current ?? (await this.#startSegment());
    const offset = this.#segments.get(number) ?? 0;
    try {
      this.onTimed(await writeFully(file, bytes, offset));
    } catch (error) {
      // The next write overwrites an incomplete one; truncating frees disk space meanwhile.
      await truncateFile(file, offset).catch(() => undefined);
      throw error;
    }
    const end = offset + bytes.length;
    this.#segments.set(number, end);
    this.#bytesOnDisk += bytes.length;
    this.#appBytes.add(number, bytesByApp);
    this.#next?.fillTo(end);
    if (end >= this.#limits.segmentBytes) await this.#endSegment();
  }

  async #startSegment(): Promise<{ number: number; file: number }> {
    const number = this.#nextNumber;
    const file = (await this.#next?.take()) ?? (await openSynced(this.#path(number)));
    this.#segments.set(number, 0);
    this.#nextNumber = number + 1;
    this.#current = { number, file };
    // Opened ahead: later there may be no free file descriptor.
    this.#next = new NextSegment(this.#path(number + 1), this.#limits.segmentBytes);
    return this.#current;
  }

  async #endSegment(): Promise<void> {
    if (this.#current === null) return;
    const { file } = this.#current;
    this.#current = null;
    await closeFile(file);
  }

  #path(number: number): string {
    return join(this.#directory, segmentName(number, this.#appId));
  }

  #after(position: Position): Position {
    for (const number of this.#segments.keys())
      if (number > position.segment) return { segment: number, offset: 0 };
    return this.end.segment > position.segment ? this.end : position;
  }
}

function newWrite(): Write {
  return { rows: [], bytesByApp: new Map(), isLastOfSegment: false, written: Promise.withResolvers() };
}

function addRow({ rows, bytesByApp }: Write, row: string, appId: string): void {
  rows.push(row);
  bytesByApp.set(appId, (bytesByApp.get(appId) ?? 0) + row.length + 1);
}
