import type { CreateLinkInput } from '../schemas.ts';

export const IMPORT_SOURCES = [
  'csv',
  'firebase',
  'branch',
  'bitly',
  'rebrandly',
  'shortio',
  'shlink',
] as const;
/** The service whose export a file is; `csv` is a table of any other origin. */
export type ImportSource = (typeof IMPORT_SOURCES)[number];

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
/** `ndjson` also accepts one JSON array, and a page of the service's API as it answered. */
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A link of a file, as `POST /v1/links` would accept it under a new address. */
export interface ImportedLink {
  /** Host of the old address, in small letters, with a port if it had one; null where the file does not say. */
  readonly host: string | null;
  /** Old address without its first slash, decoded once, letters as they were: `summer/Sale`. */
  readonly path: string;
  readonly input: Omit<CreateLinkInput, 'shortCode' | 'path'>;
  /** Clicks that the service counted up to the export. */
  readonly importedClicks: number | null;
  /** What the service had and this link does not, in words; the same text for the same loss. */
  readonly notes: readonly string[];
}

interface Row {
  /** First line of the row in the file, from 1; the header is a line too. */
  readonly line: number;
  /** The row in the source's own columns. Values that are no text are JSON. */
  readonly raw: Readonly<Record<string, string>>;
}

/** A failed row has its old address where the file names one. A row with an address that cannot be kept yields another `ImportedRow` of the same line for it. */
export type ImportedRow =
  | (Row & { readonly links: readonly ImportedLink[] })
  /** Why the row is no link, and what to do. */
  | (Row & { readonly failure: string; readonly oldAddress?: string });

/** Reads one file in pieces. Its memory is bounded, whatever the file. */
export interface ImportReader {
  /**
   * @returns the rows that this piece completed, in order.
   * @throws ImportFileError if the file cannot be read as this source and format; the reader is then of no more use.
   */
  write(chunk: Uint8Array): ImportedRow[];
  /**
   * @returns the last rows.
   * @throws ImportFileError for a file that is cut off, or has no rows.
   */
  end(): ImportedRow[];
  /** Header (or JSON key) to the field that it was taken for; known after the header, or after the first row. */
  readonly columns: Readonly<Record<string, string>>;
}

/** The whole file cannot be read: the message names the line and the remedy. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
  /** Whose file it is instead. */
  readonly rightful: ImportSource | null;

  constructor(
    message: string,
    { rightful = null, ...options }: ErrorOptions & { rightful?: ImportSource | null } = {},
  ) {
    super(message, options);
    this.rightful = rightful;
  }
}
