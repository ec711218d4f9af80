/**
 * What a room says of the records in which it keeps something about a person: how they are found, what they become when
 * they are erased, and what of them is handed out. `privacy/manifest.ts` has them in their order.
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Updateable } from 'kysely';
import type { Ctx } from './ctx.ts';
import type { Tables } from './db/index.ts';
import type { GoOn } from './loop.ts';
import { parts } from './parts.ts';

/** Tables of records about people, each with the columns `app_id`, `id` and `sandbox`. */
export type PersonalTable = keyof Tables & ('clicks' | 'installs' | 'opens' | 'events');

/** What leads to a person's records. */
export interface Person {
  readonly appId: string;
  /** Only sandbox records are reached. */
  readonly sandboxOnly: boolean;
  /** In the customer's system; null where only an address is known. */
  readonly userId: string | null;
  /** Hashes: the one that was given, and those of the user's installs. */
  readonly addresses: readonly string[];
  /** Installs that are the person's: the user's own, and those at the address that was given. */
  readonly installs: readonly string[];
  /** Clicks that the person's installs and opens claimed, wherever they came from. */
  readonly clicks: readonly string[];
  /** Installs at an address of the user's of which nobody knows whose they are. */
  readonly neighbours: readonly string[];
}

/** Whose a record is, as far as it says. */
export interface Owner {
  readonly userId: string | null;
  readonly installIds: readonly (string | null)[];
  readonly openIds: readonly (string | null)[];
}

/** One kind of record with something about a person in it. */
export interface PersonalData<T extends PersonalTable, Row extends { id: string; sandbox: number }> {
  readonly table: T;
  /** What the columns with personal data become. */
  readonly erased: Updateable<Tables[T]>;
  /** What may be the person's, a bounded number at a time; the same record may come twice. */
  find(ctx: Ctx, person: Person): AsyncGenerator<Row[]>;
  ownerOf(row: Row): Owner;
  /** The array of an export that it is part of. */
  readonly exportedAs: string;
  present(row: Row): Record<string, unknown>;
}

/** A page of the records that one way leads to: those after a record, by ID. */
export interface WayPage<Column extends string> {
  readonly column: Column;
  readonly value: string;
  readonly after: string | null;
  readonly limit: number;
}

/** How many records are read at once: few, since SQLite reads them on the thread of the event loop. */
const RECORDS_AT_ONCE = 100;

/**
 * Reads page after page, each from where the last one ended; at least one, which may be empty. SQLite reads on this
 * thread, and a person may have a hundred thousand installs: others get their turn after each page.
 */
export async function* pages<Row>(
  read: (after: Row | null, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last: Row | null = null;
  for (;;) {
    const rows: Row[] = await read(last, RECORDS_AT_ONCE);
    await othersTurn();
    yield rows;
    if (rows.length < RECORDS_AT_ONCE) return;
    last = rows.at(-1) ?? null;
  }
}

/** Pages put together until they are worth further queries: of a crowd's installs each leads to one record or to none. */
export async function* gathered<Row>(found: AsyncIterable<Row[]>, goOn: GoOn): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  for await (const page of found) {
    await goOn();
    rows.push(...page);
    if (rows.length < RECORDS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** A list in parts that are worth a query each. */
export function recordsAtOnce<T>(list: readonly T[]): Iterable<readonly T[]> {
  return parts(list, RECORDS_AT_ONCE);
}
