/** Clicks that the database will never take, put aside as they stand in the journal so that those behind them go on. */
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ctx } from '../platform/ctx.ts';
import { parseRows, type TextRow } from '../platform/db/index.ts';
import { indexOfColumn, NEW_CLICK_COLUMNS } from './click.ts';
import { toBatch, withoutErased } from './erased-addresses.ts';

const LINE_FEED = Buffer.from('\n');
const [APP, ID, CLICKED_AT] = [indexOfColumn('app_id'), indexOfColumn('id'), indexOfColumn('clicked_at')];

export class RefusedClicks {
  /** Of the file, which is there once a click was put aside. */
  readonly path: string;
  /** One thing at a time is done to the file: what is put aside while it is scrubbed would be gone. */
  #last: Promise<void> = Promise.resolve();
  /** A full disk may take the beginning of a line: what comes next begins another. */
  #mayBeCut = false;

  /** @param directory the journal's. */
  constructor(directory: string) {
    this.path = join(directory, 'refused.tsv');
  }

  /** Resolves when they are on disk. */
  async add(batches: readonly Buffer[]): Promise<void> {
    await this.#inTurn(async () => {
      const rows = this.#mayBeCut ? [LINE_FEED, ...batches] : batches;
      this.#mayBeCut = true;
      await append(this.path, Buffer.concat(rows));
      this.#mayBeCut = false;
    });
  }

  /** Takes out of it who was erased. */
  async scrub(ctx: Ctx): Promise<void> {
    await this.#inTurn(() => this.#scrub(ctx));
  }

  /** Takes over what another journal's process has put aside. Neither journal is open. */
  async adopt({ path }: RefusedClicks): Promise<void> {
    const text = await this.#inTurn(() => readIfThere(path));
    if (text === null) return;
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    // A crash may have cut either file's last line: it stays a line of its own.
    await this.#inTurn(() => append(this.path, `\n${text}\n`));
    await rm(path);
  }

  async #scrub(ctx: Ctx): Promise<void> {
    const text = await readIfThere(this.path);
    if (text === null) return;
    const batches = [];
    // One by one: each by its own age.
    for (const row of withoutRepeats(parseRows(text).filter(isWhole)))
      batches.push(...(await withoutErased(ctx, [toBatch([row])])));
    const scrubbed = Buffer.concat(batches).toString();
    if (scrubbed === text) return;
    await writeFile(`${this.path}.new`, scrubbed, { mode: 0o600, flush: true });
    await rename(`${this.path}.new`, this.path);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return await done;
  }
}

async function append(path: string, rows: string | Buffer): Promise<void> {
  await appendFile(path, rows, { mode: 0o600, flush: true });
}

async function readIfThere(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** A crash may have cut a line; its click is in the journal still, and is put aside again. */
function isWhole(row: TextRow): boolean {
  return row.length <= NEW_CLICK_COLUMNS.length && !Number.isNaN(Date.parse(row[CLICKED_AT] ?? ''));
}

/** What is tried again after a fault, or a crash, may have been put aside before. */
function withoutRepeats(rows: readonly TextRow[]): Iterable<TextRow> {
  return new Map(rows.map((row) => [`${row[APP]} ${row[ID]}`, row])).values();
}
