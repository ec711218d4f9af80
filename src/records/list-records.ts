import { type Actor, canSee } from '../auth/index.ts';
import type { Database, Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isMoment } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { findLinkIdByCode, findShortCodes } from '../links/index.ts';
import { sandboxOf } from '../stats/index.ts';
import type { RecordChunks } from './formats.ts';
import type { RecordItem, RecordKind } from './kinds.ts';
import {
  type Cursor,
  cursorOf,
  findCursor,
  listRecords,
  listRecordsByIds,
  type RecordFilter,
  type RecordTable,
} from './queries.ts';
import type { ListInput } from './schemas.ts';

export interface ListDeps extends Pick<Foundation, 'db'> {
  /** Resolves once all clicks of an app that this process acknowledged are stored. @throws AppError `clicks.behind`. */
  readonly clicksApplied: (appId: string) => Promise<void>;
}

const DEFAULT_LIMIT = 50;

/** A page. @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`. */
export async function listPage<T extends RecordTable>(
  { db, clicksApplied }: ListDeps,
  kind: RecordKind<T>,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<object[]> {
  await clicksApplied(actor.appId);
  const filter = await toRecordFilter(db, { actor, input });
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
  return await present(db, actor.appId, kind, await listRecords(db, kind.table, filter, page));
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
 * All matching records, oldest first, in chunks. Holds no transaction between them, so that a slow reader costs nothing.
 * @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`.
 */
export async function exportRecords<T extends RecordTable>(
  { db, clicksApplied }: ListDeps,
  kind: RecordKind<T>,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<RecordChunks> {
  await clicksApplied(actor.appId);
  return chunksOf(db, kind, await toRecordFilter(db, { actor, input }));
}

async function* chunksOf<T extends RecordTable>(
  db: Db,
  kind: RecordKind<T>,
  filter: RecordFilter,
): AsyncGenerator<object[]> {
  const read = (after: Cursor | null, limit: number) =>
    listRecords(db, kind.table, filter, { order: 'asc', after, limit });
  let limit: number = PRESENTED_AT_ONCE.records;
  let rows = await read(null, limit);
  while (rows.length > 0) {
    const last = cursorOf(kind.table, rows.at(-1) ?? {});
    const isLast = rows.length < limit;
    limit = rowsToRead(rows);
    // The next chunk is read while the reader takes this one.
    const next = isLast ? Promise.resolve([]) : read(last, limit);
    // It may fail while the reader pauses; the error is thrown when the reader continues.
    next.catch(() => undefined);
    const codes = await codesOf(db, filter.appId, kind, rows);
    for (const some of partsOf(rows)) yield some.map((row) => kind.present(row, codes));
    rows = await next;
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
  return await present(db, appId, kind, await listRecordsByIds(db, kind.table, appId, ids));
}

async function present<T extends RecordTable>(
  db: Db,
  appId: string,
  kind: RecordKind<T>,
  rows: readonly Database[T][],
): Promise<RecordItem[]> {
  const codes = await codesOf(db, appId, kind, rows);
  return rows.map((row) => kind.present(row, codes));
}

async function codesOf<T extends RecordTable>(
  db: Db,
  appId: string,
  kind: RecordKind<T>,
  rows: readonly Database[T][],
): Promise<ReadonlyMap<string, string>> {
  const linkIds = new Set(rows.flatMap((row) => kind.linkIds(row)).filter((id) => id !== null));
  return await findShortCodes(db, appId, [...linkIds]);
}

/** @throws AppError `request.invalid`, `link.not_found`. */
async function toRecordFilter(
  db: Db,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<RecordFilter> {
  const { shortCode, campaignId, platform, country, visitor, method, installId, eventName, userId } = input;
  const linkId = shortCode === undefined ? undefined : await findLinkIdByCode(db, actor, shortCode);
  if (shortCode !== undefined && linkId === undefined) throw new AppError('link.not_found');
  const equal = {
    link_id: linkId,
    campaign_id: campaignId,
    platform,
    country,
    visitor: visitor === 'human' ? visitor : undefined,
    attribution_method: method,
    install_id: installId?.toLowerCase(),
    event_name: eventName,
    user_id: userId,
  };
  return {
    appId: actor.appId,
    sandbox: sandboxOf(actor, input.sandbox === undefined ? undefined : input.sandbox === 'true'),
    fromMs: toMs('from', input.from),
    toMs: toMs('to', input.to),
    equal: Object.fromEntries(
      Object.entries(equal).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

function toMs(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!isMoment(text) || Date.parse(text) < 0)
    throw new AppError('request.invalid', {
      message: `${name} must be a date-time such as 2026-01-31T12:00:00Z.`,
    });
  return Date.parse(text);
}
