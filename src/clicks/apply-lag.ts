/** How far the database is behind the journal: the age of the oldest click on disk that is not applied yet. */
import type { Clock } from '../platform/clock.ts';
import { isAtOrAfter, type Position } from './journal/index.ts';

/** What came onto the disk from a time on. */
interface Note {
  end: Position;
  readonly atMs: number;
}

/** Finer is of no use to anybody. */
const NOTE_EVERY_MS = 20;
/** With the database away for long, two notes become one. */
const MAX_NOTES = 2_000;

export class ApplyLag {
  readonly #clock: Clock;
  /** Of what is not applied yet, the oldest first. */
  #notes: Note[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Everything before `end` is on disk. */
  written(end: Position): void {
    const atMs = this.#clock.nowMs();
    const last = this.#notes.at(-1);
    if (last !== undefined && atMs - last.atMs < NOTE_EVERY_MS) last.end = end;
    else this.#notes.push({ end, atMs });
    if (this.#notes.length > MAX_NOTES) this.#notes = inPairs(this.#notes);
  }

  /** Everything before `place` is in the database. */
  applied(place: Position): void {
    const first = this.#notes.findIndex(({ end }) => !isAtOrAfter(place, end));
    this.#notes.splice(0, first === -1 ? this.#notes.length : first);
  }

  ms(): number {
    const [oldest] = this.#notes;
    return oldest === undefined ? 0 : Math.max(0, this.#clock.nowMs() - oldest.atMs);
  }
}

function inPairs(notes: readonly Note[]): Note[] {
  return notes.flatMap(({ end, atMs }, place) =>
    place % 2 === 0 ? { end: notes[place + 1]?.end ?? end, atMs } : [],
  );
}
