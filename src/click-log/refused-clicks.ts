/** `refused.tsv`: clicks that the database rejected for their data, as rows of the journal. */
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRows, type TextRow } from '../db/index.ts';
import { indexOfColumn, NEW_CLICK_COLUMNS, toBatch } from './click.ts';
import { type ErasureDeps, withoutErased } from './erased-addresses.ts';

const LINE_FEED = Buffer.from('\n');
const [APP, ID, CLICKED_AT] = [indexOfColumn('app_id'), indexOfColumn('id'), indexOfColumn('clicked_at')];

export class RefusedClicks {
  /** The file is created with the first click. */
  readonly path: string;
  /** Operations run one at a time: a row appended during `scrub` would be lost. */
  #last: Promise<void> = Promise.resolve();
  /** Whether a failed write may have left an incomplete line. */
  #mayBeCut = false;

  /** @param directory the journal's. */
  constructor(directory: string) {
    this.path = join(directory, 'refused.tsv');
  }

  /** Resolves when they are on disk. */
  async add(batches: readonly Buffer[]): Promise<void> {
    await this.#exclusively(async () => {
      const rows = this.#mayBeCut ? [LINE_FEED, ...batches] : batches;
      this.#mayBeCut = true;
      await appendFile(this.path, Buffer.concat(rows), { mode: 0o600, flush: true });
      this.#mayBeCut = false;
    });
  }

  /** Removes personal data of erased persons, incomplete lines and duplicates. */
  async scrub(deps: ErasureDeps): Promise<void> {
    await this.#exclusively(() => this.#scrub(deps));
  }

  async #scrub(deps: ErasureDeps): Promise<void> {
    const text = await readIfPresent(this.path);
    if (text === null) return;
    const batches = [];
    // One by one: each by its own time.
    for (const row of withoutDuplicates(parseRows(text).filter(isComplete)))
      batches.push(...(await withoutErased(deps, [toBatch([row])])));
    const scrubbed = Buffer.concat(batches).toString();
    if (scrubbed === text) return;
    await writeFile(`${this.path}.new`, scrubbed, { mode: 0o600, flush: true });
    await rename(`${this.path}.new`, this.path);
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return await done;
  }
}

async function readIfPresent(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** The click of an incomplete line is still in the journal, and will be added again. */
function isComplete(row: TextRow): boolean {
  return row.length <= NEW_CLICK_COLUMNS.length && !Number.isNaN(Date.parse(row[CLICKED_AT] ?? ''));
}

/** A retry after a fault or a crash may add a click again. */
function withoutDuplicates(rows: readonly TextRow[]): Iterable<TextRow> {
  return new Map(rows.map((row) => [`${row[APP]} ${row[ID]}`, row])).values();
}
