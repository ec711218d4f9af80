import { type Actor, canSee } from '../auth/index.ts';
import type { Database, Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type IdRange, isUuid } from '../lib/ids.ts';
import { findRuleNames, findShortCodes } from '../links/index.ts';
import { toRecordFilter } from './filters.ts';
import type { FindDeps } from './find-installs.ts';
import type { RecordChunks } from './formats.ts';
import type { RecordItem, RecordKind } from './kinds.ts';
import type { ListInput } from './parameters.ts';
import {
  countRecords,
  cursorOf,
  findCursor,
  listRange,
  listRecords,
  listRecordsByIds,
  listRecordsInRange,
  type RecordFilter,
  type RecordTable,
  rangesOf,
} from './queries.ts';
import type { Names } from './schemas.ts';

export interface ListDeps extends FindDeps {
  /** Resolves once all clicks of an app that this process acknowledged are stored. @throws AppError `clicks.behind`. */
  readonly clicksApplied: (appId: string) => Promise<void>;
}

const DEFAULT_LIMIT = 50;

/** A page, with the number of all that match if it is asked for. @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`. */
export async function listPage<T extends RecordTable>(
  deps: ListDeps,
  kind: RecordKind<T>,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<{ items: object[]; total: string | null }> {
  const { db } = deps;
  await deps.clicksApplied(actor.appId);
  const filter = await toRecordFilter(deps, kind.table, { actor, input });
  const cursorOfItem = async (name: 'after' | 'before') => {
    const id = input[name];
    if (id === undefined) return null;
    const cursor = await findCursor(db, kind.table, filter, id.toLowerCase());
    if (cursor !== undefined) return cursor;
    throw new AppError('request.invalid', {
      message: `${name} must be the id of an item of this list that still exists. If it was deleted, go on with ${name === 'after' ? 'from' : 'to'}, the time of that item.`,
    });
  };
  const { order = 'desc', limit = DEFAULT_LIMIT } = input;
  const page = { order, after: await cursorOfItem('after'), before: await cursorOfItem('before'), limit };
  const items = await present(db, actor.appId, kind, await listRecords(db, kind.table, filter, page));
  if (input.include !== 'total') return { items, total: null };
  // A page that is not full has all: a second search for rare records would take as long as the first.
  const isAll = items.length < limit && page.after === null && page.before === null;
  return { items, total: isAll ? String(items.length) : await totalOf(db, kind.table, filter) };
}

const MAX_EXACT_TOTAL = 10_000;

async function totalOf(db: Db, table: RecordTable, filter: RecordFilter): Promise<string> {
  const total = await countRecords(db, table, filter, MAX_EXACT_TOTAL + 1);
  return total > MAX_EXACT_TOTAL ? `${MAX_EXACT_TOTAL}+` : String(total);
}

/**
 * One record, as in its list.
 * @param idOf finds the record of an ID that the client made.
 * @throws AppError `record.not_found`, `clicks.behind`.
 */
export async function readRecord<T extends RecordTable>(
  { db, clicksApplied }: ListDeps,
  kind: RecordKind<T>,
  {
    actor,
    id,
    idOf,
  }: {
    actor: Actor;
    id: string;
    idOf?: ((appId: string, id: string) => Promise<string | undefined>) | undefined;
  },
): Promise<object> {
  await clicksApplied(actor.appId);
  const find = async (one: string) => await listRecordsByIds(db, kind.table, actor.appId, [one]);
  let found = isUuid(id) ? await find(id.toLowerCase()) : [];
  const other = isUuid(id) && found.length === 0 ? await idOf?.(actor.appId, id.toLowerCase()) : undefined;
  if (other !== undefined) found = await find(other);
  const [item] = await present(
    db,
    actor.appId,
    kind,
    found.filter((row) => canSee(actor, row)),
  );
  if (item === undefined) throw new AppError('record.not_found');
  return item;
}

/** Small enough for other reads to run in between, large enough for their overhead. */
const MAX_ROWS_READ = 1_000;
/** Of the texts in rows that are read at once: an open export has up to two reads in memory. */
const CHARACTERS_READ = 8 * 1024 * 1024;
/** Parsed properties take up to twenty times the memory of their text, and the event loop some milliseconds a record. */
const PRESENTED_AT_ONCE = { records: 200, characters: 256 * 1024 } as const;

/**
 * All matching records of before its beginning, oldest first, in chunks. Holds no transaction between them, so that a slow reader costs nothing.
 * @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`.
 */
export async function exportRecords<T extends RecordTable>(
  deps: ListDeps & Pick<Foundation, 'clock'>,
  kind: RecordKind<T>,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<RecordChunks> {
  const begunMs = deps.clock.nowMs();
  await deps.clicksApplied(actor.appId);
  const filter = await toRecordFilter(deps, kind.table, { actor, input });
  return chunksOf(deps.db, kind, { ...filter, toMs: Math.min(filter.toMs ?? Infinity, begunMs + 1) });
}

async function* chunksOf<T extends RecordTable>(
  db: Db,
  kind: RecordKind<T>,
  filter: RecordFilter,
): AsyncGenerator<object[]> {
  let limit: number = PRESENTED_AT_ONCE.records;
  for await (const range of rangesOf(db, kind.table, filter, { order: 'asc' })) {
    const read = (place: typeof range) => listRange(db, kind.table, filter, { ...place, limit });
    let rows = await read(range);
    while (rows.length > 0) {
      const after = cursorOf(kind.table, rows.at(-1) ?? {});
      const isLast = rows.length < limit;
      limit = rowsToRead(rows);
      // The next chunk is read while the reader takes this one.
      const next = isLast ? Promise.resolve([]) : read({ ...range, after });
      // It may fail while the reader pauses; the error is thrown when the reader continues.
      next.catch(() => undefined);
      const names = await namesOf(db, filter.appId, kind, rows);
      for (const some of partsOf(rows)) yield some.map((row) => kind.present(row, names));
      rows = await next;
    }
  }
}

/** As many as have few characters, if they are like those before. */
function rowsToRead(rows: readonly object[]): number {
  const characters = rows.reduce((sum, row) => sum + charactersIn(row), 0);
  const fitting = Math.floor((CHARACTERS_READ * rows.length) / Math.max(1, characters));
  return Math.min(MAX_ROWS_READ, Math.max(PRESENTED_AT_ONCE.records, fitting));
}

function* partsOf<Row extends object>(rows: readonly Row[]): Generator<readonly Row[]> {
  let part: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    part.push(row);
    characters += charactersIn(row);
    if (part.length < PRESENTED_AT_ONCE.records && characters < PRESENTED_AT_ONCE.characters) continue;
    yield part;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield part;
}

function charactersIn(row: object): number {
  let characters = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length;
  return characters;
}

/** Items of the records that still exist and are not erased, in no particular order. */
export async function findItems<T extends RecordTable>(
  db: Db,
  appId: string,
  kind: RecordKind<T>,
  ids: readonly string[],
): Promise<RecordItem[]> {
  const rows = await listRecordsByIds(db, kind.table, appId, ids);
  return await present(
    db,
    appId,
    kind,
    rows.filter(({ erased }) => erased === null),
  );
}

/** Items that the caller may see with an id in a range, the newest ids first. */
export async function findItemsInRange<T extends RecordTable, Item extends RecordItem>(
  db: Db,
  actor: Actor,
  kind: RecordKind<T, Item>,
  { range, limit }: { range: IdRange; limit: number },
): Promise<Item[]> {
  const { appId, mode } = actor;
  const rows = await listRecordsInRange(db, kind.table, {
    appId,
    range,
    sandboxOnly: mode === 'test',
    limit,
  });
  return await present(db, appId, kind, rows);
}

async function present<T extends RecordTable, Item extends RecordItem>(
  db: Db,
  appId: string,
  kind: RecordKind<T, Item>,
  rows: readonly Database[T][],
): Promise<Item[]> {
  const names = await namesOf(db, appId, kind, rows);
  return rows.map((row) => kind.present(row, names));
}

async function namesOf<T extends RecordTable>(
  db: Db,
  appId: string,
  kind: RecordKind<T>,
  rows: readonly Database[T][],
): Promise<Names> {
  const linkIds = distinct(rows.flatMap((row) => kind.linkIds(row)));
  const withRule = rows.filter((row) => kind.ruleId?.(row) != null);
  const [codes, rules] = await Promise.all([
    findShortCodes(db, appId, linkIds),
    findRuleNames(db, appId, {
      linkIds: distinct(withRule.flatMap((row) => kind.linkIds(row))),
      ids: distinct(withRule.map((row) => kind.ruleId?.(row) ?? null)),
    }),
  ]);
  return { codes, rules };
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== null);
}
