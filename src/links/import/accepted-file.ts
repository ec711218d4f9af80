import { type FileHandle, open } from 'node:fs/promises';
import type { Candidate } from './import.ts';

/** A link to store. */
export interface Accepted extends Pick<Candidate, 'key' | 'values' | 'words' | 'tags' | 'rules'> {
  /** Of its row in the part of the report. */
  readonly index: number;
}

interface AcceptedPart {
  /** Of the part of the report. */
  readonly number: number;
  readonly links: readonly Accepted[];
}

/** Links to store at once. */
export interface AcceptedLinks {
  readonly links: readonly (Accepted & { readonly part: number })[];
  /** The number of the last part of the report that they are of. */
  readonly lastPart: number;
}

/** Of 500, SQLite writes 28 KB of pages for each link; of 2,000, 13 KB; of 5,000, 8 KB, while other writes wait longer. */
const LINKS_AT_ONCE = 2_000;

/**
 * The links of a file that are to be stored, on disk until all are judged: for each part a line, and one for each link's
 * values, as they are to be sent.
 */
export class AcceptedFile {
  readonly #path: string;
  readonly #places: { readonly offset: number; readonly length: number }[] = [];
  #file: FileHandle | null = null;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async append({ number, links }: AcceptedPart): Promise<void> {
    if (links.length === 0) return;
    this.#file ??= await open(this.#path, 'w+', 0o600);
    const heads = links.map(({ values: _values, ...head }) => head);
    const lines = [JSON.stringify({ number, heads }), ...links.map(({ values }) => values)];
    const bytes = Buffer.from(lines.join('\n'));
    await this.#file.write(bytes, 0, bytes.length, this.#bytes);
    this.#places.push({ offset: this.#bytes, length: bytes.length });
    this.#bytes += bytes.length;
  }

  /** In order, whole parts; after the last `append`. */
  async *read(): AsyncGenerator<AcceptedLinks> {
    let links: AcceptedLinks['links'][number][] = [];
    for (const [at, place] of this.#places.entries()) {
      const part = await this.#readPart(place);
      for (const link of part.links) links.push({ ...link, part: part.number });
      if (links.length < LINKS_AT_ONCE && at + 1 < this.#places.length) continue;
      yield { links, lastPart: part.number };
      links = [];
    }
  }

  async #readPart({ offset, length }: { offset: number; length: number }): Promise<AcceptedPart> {
    const bytes = Buffer.allocUnsafe(length);
    await this.#file?.read(bytes, 0, length, offset);
    const [head = '', ...values] = bytes.toString().split('\n');
    const { number, heads } = JSON.parse(head) as { number: number; heads: Omit<Accepted, 'values'>[] };
    return { number, links: heads.map((link, at) => ({ ...link, values: values[at] ?? '' })) };
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
