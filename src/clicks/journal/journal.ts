/**
 * The journal: where a click is on disk before its redirect leaves.
 *
 * Rows gather for a write while the write before it is under way, so its size follows the load and nobody waits for a
 * timer. It returns when its bytes are on disk, and finds the segment's file filled with zeros (`NextSegment`). Segments
 * are read back in order, from the oldest, and removed once their rows are in the database; a new process starts a new
 * segment after those that it found. What waits in memory is bounded (`MAX_WAITING_ROWS`).
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskReserve } from './disk-reserve.ts';
import { closeFile, makeSynced, renameIfThere, truncateFile, writeFully } from './files.ts';
import { NextSegment } from './next-segment.ts';
import type { Position } from './position.ts';
import { damagedName, damagedNumber, encodeRows, segmentName, segmentNumber } from './segment.ts';
import { type SegmentRead, SegmentReader } from './segment-reader.ts';

/** What bounds the disk that a journal takes. */
export interface JournalLimits {
  /** A segment is closed once it is this long. */
  readonly segmentBytes: number;
  /** Nothing more is taken while the segments are this long together. */
  readonly maxBytes: number;
}

/** What a read found. */
interface JournalRead extends Omit<SegmentRead, 'nextOffset'> {
  /** Position after the batches; the same position when everything on disk was read. */
  readonly next: Position;
}

/** Rows that come onto the disk together. */
interface Write {
  readonly rows: string[];
  /** Settled by whether there is room behind it, where somebody asks. */
  room: PromiseWithResolvers<void> | null;
  isLastOfSegment: boolean;
  readonly written: PromiseWithResolvers<void>;
}

/** While a disk stalls: some 30 MB, beside what the requests take that wait for them. */
const MAX_WAITING_ROWS = 100_000;

/** For a hundred clicks; what nothing was written to is zeros. */
const ROOM = Buffer.alloc(32 * 1024);

/** For now nothing more is taken; the message says why, and anybody may read it. */
export class JournalFull extends Error {
  override name = 'JournalFull';
}

/** One process's alone: two that write to one directory would take the same segment. */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  readonly #reserve: DiskReserve;
  /** Bytes of every segment that is not dropped yet, by number, the oldest first. */
  readonly #segments = new Map<number, number>();
  #bytesOnDisk = 0;
  #current: { number: number; file: number } | null = null;
  /** Of the segment to be started next. */
  #nextNumber = 1;
  /** That segment's file, while there is a segment before it. */
  #next: NextSegment | null = null;
  /** Segments below it are of earlier processes, which may have died while they wrote. */
  #firstOwn = 1;
  /** Segments with damage, which are kept under another name when they are dropped. */
  readonly #damaged = new Set<number>();
  readonly #reader = new SegmentReader();
  #gathering: Write | null = null;
  #writing: Promise<void> | null = null;
  /** Called after every write that reached the disk. */
  onWritten: () => void = () => undefined;
  /** Awaited between two writes: who makes the next one wait slows the rows' senders down. */
  beforeNext: () => Promise<void> | undefined = () => undefined;

  private constructor(directory: string, limits: JournalLimits, reserve: DiskReserve) {
    this.#directory = directory;
    this.#limits = limits;
    this.#reserve = reserve;
  }

  /** Opens the journal in `directory`, which exists. Segments found there are read before new ones. */
  static async open(directory: string, limits: JournalLimits): Promise<Journal> {
    const journal = new Journal(directory, limits, await DiskReserve.open(directory));
    const names = await readdir(directory);
    const numbers = names.map(segmentNumber).filter((number) => number !== null);
    for (const number of numbers.sort((a, b) => a - b)) {
      const { size } = await stat(join(directory, segmentName(number)));
      journal.#segments.set(number, size);
      journal.#bytesOnDisk += size;
    }
    // No segment takes the number of a damaged one, whose file it would replace if it were damaged too.
    const taken = [...numbers, ...names.map(damagedNumber).filter((number) => number !== null)];
    journal.#nextNumber = Math.max(0, ...taken) + 1;
    journal.#firstOwn = journal.#nextNumber;
    return journal;
  }

  /** Bytes that are not in the database yet, or whose segment is not dropped yet. */
  get bytesOnDisk(): number {
    return this.#bytesOnDisk;
  }

  /** Everything before it is on disk. */
  get end(): Position {
    const number = this.#current?.number ?? this.#nextNumber;
    return { segment: number, offset: this.#segments.get(number) ?? 0 };
  }

  /** The oldest that can be read. */
  get start(): Position {
    return { segment: this.#segments.keys().next().value ?? this.#nextNumber, offset: 0 };
  }

  /** How many bytes lie between a position and the end. */
  bytesAfter({ segment, offset }: Position): number {
    let bytes = 0;
    for (const [number, length] of this.#segments)
      if (number >= segment) bytes += number === segment ? Math.max(0, length - offset) : length;
    return bytes;
  }

  /**
   * Resolves when the row is on disk. Rows that are written together share the promise.
   * @param row a text without a line feed.
   * @throws JournalFull, or the file system's error; then the row is not in the journal.
   */
  append(row: string): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.reject(new JournalFull(refusal));
    const write = this.#openWrite();
    if (write.rows.length >= MAX_WAITING_ROWS)
      return Promise.reject(new JournalFull('The disk of the click journal does not keep up.'));
    write.rows.push(row);
    return write.written.promise;
  }

  /**
   * Resolves when something, be it an empty batch, was written, and there is room for a hundred clicks behind it: whether
   * the disk takes rows again.
   */
  async probe(): Promise<void> {
    await this.#reserve.look();
    const refusal = this.#refusal();
    if (refusal !== null) throw new JournalFull(refusal);
    const write = this.#openWrite();
    // Nobody may be waiting for that; what waits for the room hears of it as well.
    write.written.promise.catch(() => undefined);
    write.room ??= Promise.withResolvers();
    await write.room.promise;
  }

  /** Why nothing more is taken; null where it is. */
  #refusal(): string | null {
    if (this.#bytesOnDisk >= this.#limits.maxBytes) return 'The click journal is full.';
    return this.#reserve.isReached
      ? 'The disk has only the space left that clicks leave to everything else. Free space on it.'
      : null;
  }

  /**
   * Reads batches from a position on, at most `maxBytes` of them unless the first one alone is longer. One read at a time.
   * @throws the file system's error.
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
   * Removes the segments that lie wholly before a position; damaged ones stay, renamed to `*.damaged`.
   * @returns how many damaged ones were kept.
   * @throws where a file cannot be removed or renamed.
   */
  async dropBefore(position: Position): Promise<number> {
    let kept = 0;
    for (const [number, length] of this.#segments) {
      if (number >= position.segment) break;
      const path = this.#path(number);
      this.#reader.release(path);
      // The applying loop and a flush may both be at it.
      if (!this.#damaged.has(number)) await rm(path, { force: true });
      else if (await renameIfThere(path, join(this.#directory, damagedName(number)))) kept += 1;
      if (this.#segments.delete(number)) this.#bytesOnDisk -= length;
    }
    return kept;
  }

  /** Has the next row start a new segment, so that everything before it can be dropped. */
  async rotate(): Promise<void> {
    if (this.#writing === null) return await this.#endSegment();
    // Not the write that is under way: rows of before may be gathering behind it.
    const write = this.#openWrite();
    write.isLastOfSegment = true;
    await write.written.promise;
  }

  /** Waits for what is being written and closes the file. Appending afterwards opens a new segment. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#endSegment();
    await this.#next?.remove();
  }

  /** The write that gathers; opening one starts the writing. */
  #openWrite(): Write {
    this.#gathering ??= { rows: [], room: null, isLastOfSegment: false, written: Promise.withResolvers() };
    this.#writing ??= this.#writeAll();
    return this.#gathering;
  }

  async #writeAll(): Promise<void> {
    // A turn of the event loop: requests that arrived together share the first write too.
    await new Promise(setImmediate);
    for (let write = this.#takeWrite(); write !== null; write = this.#takeWrite()) {
      try {
        await this.#writeRows(encodeRows(write.rows));
        if (write.isLastOfSegment) await this.#endSegment();
        write.written.resolve();
        this.onWritten();
        if (write.room !== null) {
          await this.#writeBehind(ROOM);
          write.room.resolve();
        }
        await this.beforeNext();
      } catch (error) {
        write.written.reject(error);
        write.room?.reject(error);
      }
    }
    this.#writing = null;
  }

  #takeWrite(): Write | null {
    const write = this.#gathering;
    this.#gathering = null;
    return write;
  }

  async #writeRows(bytes: Buffer): Promise<void> {
    const { number, end } = await this.#writeBehind(bytes);
    this.#segments.set(number, end);
    this.#bytesOnDisk += bytes.length;
    this.#next?.fillTo(end);
    if (end >= this.#limits.segmentBytes) await this.#endSegment();
  }

  /** Writes behind what is in the segment, where the next bytes go too unless these are counted as part of it. */
  async #writeBehind(bytes: Buffer): Promise<{ number: number; end: number }> {
    const { number, file } = this.#current ?? (await this.#startSegment());
    const offset = this.#segments.get(number) ?? 0;
    try {
      await writeFully(file, bytes, offset);
    } catch (error) {
      // What was half written is overwritten by the next write; cutting it off frees the disk and spares readers.
      await truncateFile(file, offset).catch(() => undefined);
      throw error;
    }
    return { number, end: offset + bytes.length };
  }

  async #startSegment(): Promise<{ number: number; file: number }> {
    const number = this.#nextNumber;
    const file = (await this.#next?.take()) ?? (await makeSynced(this.#path(number)));
    this.#segments.set(number, 0);
    this.#nextNumber = number + 1;
    this.#current = { number, file };
    // Opened now: later there may be no descriptor left.
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
    return join(this.#directory, segmentName(number));
  }

  #after(position: Position): Position {
    for (const number of this.#segments.keys())
      if (number > position.segment) return { segment: number, offset: 0 };
    return this.end.segment > position.segment ? this.end : position;
  }
}
