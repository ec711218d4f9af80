/**
 * `secure_delete` overwrites what is deleted, yet where SQLite divides or joins pages, a copy of a moved cell now and
 * then stays in a page's unallocated space: the bytes between the pointers to the cells and the cells. SQLite neither
 * reads nor clears them. https://www.sqlite.org/fileformat2.html#b_tree_pages
 */
import { fsyncSync, readSync, writeSync } from 'node:fs';

/** Looked over at once: a millisecond or two, in which nobody else writes. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Used again and again: a file of gigabytes, looked over with every erasure, would leave as much for the collector. */
const slice = Buffer.alloc(SLICE_BYTES);
/** Other pages in use begin with a page's number. In a file with fewer, its first byte is 0 or 1, as no b-tree page's is. */
const MAX_PAGES = 2 ** 25;
const FILE_HEADER_BYTES = 100;
/** The page with this byte is never used (file format, "The Lock-Byte Page"). */
const LOCK_BYTE = 2 ** 30;
/** One entry of a pointer map. */
const POINTER_BYTES = 5;
/** The bytes before the pointers to cells, by the first byte of a b-tree's page. */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

/** What a look at some pages found. */
export interface Leftovers {
  /** The pages with anything in their unallocated space, counted from 0. */
  readonly pages: number[];
  /** The page to go on from; null at the end of the file. */
  readonly nextPage: number | null;
}

/**
 * Looks over some pages of a database file. It has to be whole: the log of writes is empty, or what matters was in the
 * file before. From 2^25 pages on (128 GiB), which are told from others no more, nothing is found.
 * @param file open for reading.
 */
export function findLeftovers(file: number, firstPage: number): Leftovers {
  const layout = readLayout(file);
  const { pageBytes, pageCount } = layout;
  if (pageCount >= MAX_PAGES) return { pages: [], nextPage: null };
  const nothing = Buffer.alloc(pageBytes);
  const bytes = readSync(file, slice, 0, SLICE_BYTES, firstPage * pageBytes);
  const pages: number[] = [];
  for (let at = 0; at + pageBytes <= bytes; at += pageBytes) {
    const number = firstPage + at / pageBytes;
    const space = unallocatedSpace(slice.subarray(at, at + pageBytes), number, layout);
    if (space !== null && space.compare(nothing, 0, space.length) !== 0) pages.push(number);
  }
  return { pages, nextPage: bytes < SLICE_BYTES ? null : firstPage + SLICE_BYTES / pageBytes };
}

/**
 * Overwrites the unallocated space of pages. Nobody else may write, the log of writes has to be empty, and a connection
 * that writes later must not have these pages in its cache.
 * @param file open for reading and writing.
 */
export function clearLeftovers(file: number, pages: readonly number[]): void {
  const layout = readLayout(file);
  const { pageBytes } = layout;
  const page = Buffer.alloc(pageBytes);
  for (const number of pages) {
    readSync(file, page, 0, pageBytes, number * pageBytes);
    const space = unallocatedSpace(page, number, layout);
    if (space === null) continue;
    space.fill(0);
    writeSync(file, space, 0, space.length, number * pageBytes + (space.byteOffset - page.byteOffset));
  }
  fsyncSync(file);
}

interface Layout {
  readonly pageBytes: number;
  readonly pageCount: number;
  /** After how many pages there is another pointer map; null in a file that has none. */
  readonly mapEvery: number | null;
}

/** https://www.sqlite.org/fileformat2.html#the_database_header */
function readLayout(file: number): Layout {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  readSync(file, header, 0, FILE_HEADER_BYTES, 0);
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const hasMaps = header.readUInt32BE(52) !== 0;
  const usableBytes = pageBytes - header.readUInt8(20);
  const mapEvery = hasMaps ? Math.floor(usableBytes / POINTER_BYTES) + 1 : null;
  return { pageBytes, pageCount: header.readUInt32BE(28), mapEvery };
}

/**
 * Whether a page is a pointer map, which whoever turns `auto_vacuum` on has SQLite keep. It begins with a small number as
 * a b-tree's page does, and all of it is needed.
 */
function isPointerMap(number: number, { pageBytes, mapEvery }: Layout): boolean {
  if (mapEvery === null) return false;
  const lockPage = LOCK_BYTE / pageBytes;
  // The map that would be in the page that is never used is in the next.
  return (number - 1) % mapEvery === 0 || (number === lockPage + 1 && (lockPage - 1) % mapEvery === 0);
}

/** The part of a page where nothing is; null where the page is not a b-tree's, or not as one has to be. */
function unallocatedSpace(page: Buffer, number: number, layout: Layout): Buffer | null {
  if (isPointerMap(number, layout)) return null;
  const header = number === 0 ? FILE_HEADER_BYTES : 0;
  const headerBytes = HEADER_BYTES.get(page.readUInt8(header));
  if (headerBytes === undefined) return null;
  const cells = page.readUInt16BE(header + 3);
  const pointersEnd = header + headerBytes + 2 * cells;
  // 65,536 does not fit into two bytes, and is written 0.
  const contentStart = page.readUInt16BE(header + 5) || 65_536;
  if (pointersEnd > contentStart || contentStart > page.length) return null;
  for (let pointer = header + headerBytes; pointer < pointersEnd; pointer += 2)
    if (page.readUInt16BE(pointer) < contentStart) return null;
  return page.subarray(pointersEnd, contentStart);
}
