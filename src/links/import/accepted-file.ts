import { type FileHandle, open } from 'node:fs/promises';
import type { Candidate } from './import.ts';

/** A link to store. */
export interface Accepted extends Pick<Candidate, 'key' | 'values' | 'words' | 'tags' | 'rules'> {
  /** Of its row in the part of the report. */
  readonly index: number;
}

export interface AcceptedPart {
  readonly number: number;
  readonly links: readonly Accepted[];
}

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

  /** In order; after the last `append`. */
  async *read(): AsyncGenerator<AcceptedPart> {
    for (const { offset, length } of this.#places) {
      const bytes = Buffer.allocUnsafe(length);
      await this.#file?.read(bytes, 0, length, offset);
      const [head = '', ...values] = bytes.toString().split('\n');
      const { number, heads } = JSON.parse(head) as { number: number; heads: Omit<Accepted, 'values'>[] };
      yield { number, links: heads.map((link, at) => ({ ...link, values: values[at] ?? '' })) };
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
