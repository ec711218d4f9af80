/** Pages of the audit log of an app, and what filters them. */
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Database, type Db, listInRanges, listUpwardsInRanges } from '../db/index.ts';
import { DAY_MS, isoTime, LATEST_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import type { Cursor } from '../server/cursor.ts';
import type { AuditEntry } from './queries.ts';

interface EntryFilter {
  /** Null for all; an empty list matches none. */
  readonly actions: readonly string[] | null;
  /** The id of a user or a key, `admin` for the admin token, `first_start`, or `service` for what nobody did. */
  readonly actor: string | null;
  /** The id of what changed. */
  readonly resource: string | null;
  readonly fromMs: number | null;
  /** Excluded. */
  readonly toMs: number | null;
}

export interface Page extends EntryFilter {
  readonly order: 'asc' | 'desc';
  /** Only entries that are older. */
  readonly before: Cursor | null;
  /** Only entries that are newer. */
  readonly after: Cursor | null;
  readonly limit: number;
}

export interface AppPage extends Page {
  /** Changes of this link only. */
  readonly shortCode: string | null;
  readonly sandboxOnly: boolean;
}

// Expressions and literals as in the indexes.
const isOfLink = (shortCode: string) =>
  sql<SqlBool>`action in ('link.created', 'link.updated', 'link.deleted') and details ->> 'shortCode' = ${shortCode}`;
const ACTOR = sql<string>`coalesce(details ->> 'userId', details ->> 'keyId', details ->> 'changedBy')`;
const HAS_ACTOR = sql<SqlBool>`details ->> 'changedBy' is not null`;
const RECORD = sql<string>`coalesce(details ->> 'recordId', details ->> 'webhookId')`;
/** What `admin` stands for. */
const ADMIN = ['admin', 'command_line'];

/** A page of an app, in its order. */
export async function listAuditEntries(db: Db, appId: string, page: AppPage): Promise<AuditEntry[]> {
  const { actions, shortCode, sandboxOnly, order, limit } = page;
  if (actions?.length === 0) return [];
  const entries = () => db.selectFrom('audit_log').where('app_id', '=', appId);
  const matching = () =>
    filterEntries(entries(), page)
      .selectAll()
      .$if(shortCode !== null, (query) => query.where(isOfLink(shortCode ?? '')))
      .$if(sandboxOnly, (query) => query.where('sandbox', '=', 1));
  const hasIndex =
    shortCode !== null || page.resource !== null || (page.actor !== null && page.actor !== 'service');
  if (hasIndex) return await matching().limit(limit).execute();
  const { above, below } = boundsOf(page);
  const idAt = (start: string | null, rows: number) =>
    withinIds(entries(), order === 'desc' ? [above, start ?? below] : [start ?? above, below])
      .select('id')
      .orderBy('id', order)
      .offset(rows)
      .limit(1)
      .executeTakeFirst();
  if (order === 'desc')
    return await listInRanges({ before: below, limit }, idAt, ({ fromId, beforeId, limit: some }) =>
      withinIds(matching(), [null, beforeId])
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .limit(some)
        .execute(),
    );
  return await listUpwardsInRanges({ after: above, limit }, idAt, ({ afterId, toId, limit: some }) =>
    withinIds(matching(), [afterId, null])
      .$if(toId !== null, (query) => query.where('id', '<=', toId ?? ''))
      .limit(some)
      .execute(),
  );
}

/** The entries of a page, in its order, of either log. */
export function filterEntries<Table extends 'audit_log' | 'service_log'>(
  query: SelectQueryBuilder<Database, Table, object>,
  page: Page,
): SelectQueryBuilder<Database, Table, object> {
  const { actions, actor, resource, fromMs, toMs, before, after, order } = page;
  const { above, below } = boundsOf(page);
  // Both logs have the columns that are named here.
  let filtered = query as unknown as SelectQueryBuilder<Database, 'audit_log', object>;
  if (actions !== null) filtered = filtered.where('action', 'in', actions);
  if (actor !== null) filtered = filtered.where(isBy(actor));
  if (resource !== null) filtered = filtered.where(sql<SqlBool>`${RECORD} = ${resource}`);
  for (const fromTime of [fromMs, timeOf(after)])
    if (fromTime !== null) filtered = filtered.where('created_at', '>=', isoTime(fromTime));
  for (const toTime of [toMs, timeOf(before)])
    if (toTime !== null) filtered = filtered.where('created_at', '<', isoTime(toTime));
  filtered = withinIds(filtered, [above, below]).orderBy('id', order);
  return filtered as unknown as SelectQueryBuilder<Database, Table, object>;
}

function isBy(actor: string): Expression<SqlBool> {
  if (actor === 'service') return sql<SqlBool>`details ->> 'changedBy' is null`;
  if (actor === 'admin') return sql<SqlBool>`${HAS_ACTOR} and ${ACTOR} in (${sql.join(ADMIN)})`;
  return sql<SqlBool>`${HAS_ACTOR} and ${ACTOR} = ${actor}`;
}

function timeOf(cursor: Cursor | null): number | null {
  return cursor !== null && 'atMs' in cursor ? cursor.atMs : null;
}

/** Bounds by id, excluded. An id is made before the time of its entry is read, or by another clock: a day allows for it. */
function boundsOf({ fromMs, toMs, before, after }: Page): { above: string | null; below: string | null } {
  const idBefore = (ms: number | null) => (ms === null ? null : leastIdAt(Math.max(0, ms - DAY_MS)));
  const idAfter = (ms: number | null) => (ms === null ? null : leastIdAt(Math.min(ms + DAY_MS, LATEST_MS)));
  const lower = [idBefore(fromMs), after !== null && 'id' in after ? after.id : idBefore(timeOf(after))];
  const upper = [idAfter(toMs), before !== null && 'id' in before ? before.id : idAfter(timeOf(before))];
  return { above: sorted(lower).at(-1) ?? null, below: sorted(upper)[0] ?? null };
}

function sorted(ids: readonly (string | null)[]): string[] {
  return ids.filter((id) => id !== null).toSorted();
}

function withinIds<Output>(
  query: SelectQueryBuilder<Database, 'audit_log', Output>,
  [above, below]: readonly [string | null, string | null],
): SelectQueryBuilder<Database, 'audit_log', Output> {
  let within = query;
  if (above !== null) within = within.where('id', '>', above);
  if (below !== null) within = within.where('id', '<', below);
  return within;
}
