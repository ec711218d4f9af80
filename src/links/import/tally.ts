import type { Outcome, ReportRow } from './import.ts';

/** Distinct texts and columns that an import says; further ones are in its rows alone. */
const MAX_NOTES = 100;
const MAX_FAILURE_COLUMNS = 200;
const FURTHER_NOTES = 'Further notes are in the rows of the report.';

/** What the report says of the file as a whole. */
export class Tally {
  readonly #counts: Record<Outcome, number> = { created: 0, unchanged: 0, conflict: 0, failed: 0 };
  readonly #notes = new Map<string, number>();
  readonly #failureColumns = new Set<string>();
  rows = 0;

  get counts(): Readonly<Record<Outcome, number>> {
    return this.#counts;
  }

  add({ outcome, notes, raw }: ReportRow): void {
    this.rows += 1;
    this.#counts[outcome] += 1;
    for (const note of notes) this.#note(note);
    if (outcome !== 'failed') return;
    for (const column of Object.keys(raw ?? {}))
      if (this.#failureColumns.size < MAX_FAILURE_COLUMNS) this.#failureColumns.add(column);
  }

  /** As columns of the import. */
  texts(): { notes: string; failure_columns: string } {
    const notes = Array.from(this.#notes, ([message, rows]) => ({ message, rows }));
    return { notes: JSON.stringify(notes), failure_columns: JSON.stringify([...this.#failureColumns]) };
  }

  #note(text: string): void {
    const message = this.#notes.has(text) || this.#notes.size < MAX_NOTES ? text : FURTHER_NOTES;
    this.#notes.set(message, (this.#notes.get(message) ?? 0) + 1);
  }
}
