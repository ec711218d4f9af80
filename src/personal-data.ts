/**
 * How a module finds, erases and exports its records about a person; `privacy/manifest.ts` lists all of them.
 */
import type { Updateable } from 'kysely';
import type { Database, Db } from './db/index.ts';
import { chunks } from './lib/chunks.ts';
import type { Heartbeat } from './lib/loop.ts';

/** Each has the columns `app_id`, `id` and `sandbox`. */
export type PersonalTable = keyof Database & ('clicks' | 'installs' | 'opens' | 'events');

/** Identifiers of a person's records. */
export interface Person {
  readonly appId: string;
  /** Sandbox records only. */
  readonly sandboxOnly: boolean;
  /** In the customer's system; null if the request names an address only. */
  readonly userId: string | null;
  /** Hashes: of the given address and of the user's installs. */
  readonly addresses: readonly string[];
  /** Installs of the user, and those at the given address. */
  readonly installs: readonly string[];
  /** Clicks that these installs and their opens claimed. */
  readonly clicks: readonly string[];
  /** Installs without a user at an address of the user. */
  readonly neighbours: readonly string[];
  /** Without the records that nobody is known to have made. `installs` then are those of known users. */
  readonly knownOnly: boolean;
}

/** The owner of a record, as far as the record names it. */
export interface Owner {
  readonly userId: string | null;
  readonly installIds: readonly (string | null)[];
  readonly openIds: readonly (string | null)[];
}

export interface PersonalData<T extends PersonalTable, Row extends { id: string; sandbox: number }> {
  readonly table: T;
  /** Values of the personal columns after an erasure. */
  readonly erased: Updateable<Database[T]>;
  /** Candidates in bounded pages; a record may come twice. */
  find(db: Db, person: Person): AsyncGenerator<Row[]>;
  ownerOf(row: Row): Owner;
  /** ISO 8601. */
  recordedAt(row: Row): string;
  /** Name of its array in an export. */
  readonly exportedAs: string;
  present(row: Row): Record<string, unknown>;
}

/** A page of the records with a value in a column, by id. */
export interface RecordPage<Column extends string> {
  readonly column: Column;
  readonly value: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Small, since an event may have 32 KiB. */
const PAGE_SIZE = 100;

/** Reads all pages, at least one, which may be empty. */
export async function* pages<Row>(
  read: (after: Row | null, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last: Row | null = null;
  for (;;) {
    const rows: Row[] = await read(last, PAGE_SIZE);
    yield rows;
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1) ?? null;
  }
}

/** Merges small pages into full ones: in a crowd each install leads to one record or none. */
export async function* mergePages<Row>(
  found: AsyncIterable<Row[]>,
  heartbeat: Heartbeat,
): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  for await (const page of found) {
    await heartbeat();
    rows.push(...page);
    if (rows.length < PAGE_SIZE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Chunks of the size of a page. */
export function pageChunks<T>(list: readonly T[]): Iterable<readonly T[]> {
  return chunks(list, PAGE_SIZE);
}
