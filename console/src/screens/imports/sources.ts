import type { Import } from '@generated/types.gen.ts';
import { SERVICE_URL } from '../../api/client.ts';

export type ImportSource = Import['source'];

interface SourceWords {
  readonly id: ImportSource;
  readonly name: string;
  /** How to get its file. */
  readonly text: string;
  /** Of the chapter of `docs/import.md`. */
  readonly anchor: string;
}

export const SOURCES: readonly SourceWords[] = [
  {
    id: 'firebase',
    name: 'Firebase Dynamic Links',
    text: 'An owner of the project orders Firebase Dynamic Links at Google Takeout, which makes a CSV file for each domain.',
    anchor: 'firebase-dynamic-links',
  },
  {
    id: 'branch',
    name: 'Branch',
    text: 'Branch exports no list: a short script asks its API for each of your addresses, and writes an answer a line.',
    anchor: 'branch',
  },
  {
    id: 'bitly',
    name: 'Bitly',
    text: 'The answers of its API, page after page in one file; or the CSV file that paid plans export.',
    anchor: 'bitly',
  },
  {
    id: 'rebrandly',
    name: 'Rebrandly',
    text: 'The answers of its API, page after page in one file.',
    anchor: 'rebrandly',
  },
  {
    id: 'shortio',
    name: 'Short.io',
    text: 'The answers of its API, page after page in one file; or the CSV file of a domain.',
    anchor: 'shortio',
  },
  {
    id: 'shlink',
    name: 'Shlink',
    text: 'The answers of its API, which have more; or short_urls.csv, which its web client exports.',
    anchor: 'shlink',
  },
  {
    id: 'csv',
    name: 'Any other service',
    text: 'A CSV file with a column of short links and one of destinations. You see what each column becomes before anything is sent.',
    anchor: 'any-other-service',
  },
];

const OTHER = SOURCES.at(-1) as SourceWords;

export function sourceOf(id: string | undefined): SourceWords {
  return SOURCES.find((source) => source.id === id) ?? OTHER;
}

export function helpOf({ anchor }: SourceWords): string {
  return `${SERVICE_URL}docs/import#${anchor}`;
}
