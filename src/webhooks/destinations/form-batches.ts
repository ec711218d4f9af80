/**
 * Takes records from the feed and forms batches of them for each destination. What a destination cannot take waits in its
 * own queue, so that the feed stays short, and a dead destination delays no other.
 */
import { sql } from 'kysely';
import {
  type Db,
  type DestinationFeedTable,
  forEachReachable,
  isAmong,
  isShared,
  onEachNode,
  type Transaction,
} from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { type Dispatcher, type DueAttempt, toDue } from '../attempts/index.ts';
import { listWebhooks } from '../queries.ts';
import type { WebhookRow } from '../webhook.ts';
import { insertBatches, MAX_RECORDS, toBatch } from './batch.ts';
import { typeOf } from './destination.ts';
import { type Choice, choiceOf, type FeedRecord, readFeedRow, takes, writeFeedRecords } from './feed.ts';

/** Records of a second make one batch. */
const FORM_EVERY_MS = SECOND_MS;
/** Of one transaction, which SQLite's only writer waits for: some tens of milliseconds. */
const MAX_MESSAGES = 500;
const MAX_RECORDS_AT_ONCE = 2_000;
const MAX_ROWS = 500;
const MAX_BYTES = 100_000;

type FormDeps = Pick<Foundation, 'db' | 'clock' | 'ids'> & { readonly dispatcher: Pick<Dispatcher, 'wake'> };

export function startForming(deps: FormDeps & Pick<Foundation, 'log'>): Loop {
  return startLoop('batches for destinations', FORM_EVERY_MS, deps.log, () => formAll(deps));
}

/** Of all apps in turn, but for those on a node that is away. What takes longer than a second is left for the next run. */
export async function formAll(deps: FormDeps): Promise<void> {
  const startMs = monotonicMs();
  let apps = await listAppsInFeed(deps.db);
  while (apps.length > 0 && monotonicMs() - startMs < FORM_EVERY_MS) {
    const unfinished: string[] = [];
    await forEachReachable(
      deps.db,
      apps,
      (appId) => appId,
      async (appId) => {
        if ((await formSome(deps, appId)) === 'more') unfinished.push(appId);
      },
    );
    apps = unfinished;
  }
}

async function listAppsInFeed(db: Db): Promise<string[]> {
  const { results } = await onEachNode(db, (ofApps) =>
    db
      .selectFrom('destination_feed')
      .select('app_id')
      .distinct()
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
      .execute(),
  );
  return results.flat().map(({ app_id }) => app_id);
}

/** A destination, and the records that it takes. */
interface Taker {
  readonly row: WebhookRow;
  readonly choice: Choice;
  readonly maxItems: number;
  readonly taken: FeedRecord[];
}

async function formSome(deps: FormDeps, appId: string): Promise<'all' | 'more'> {
  const { due, hasMore } = await deps.db.transaction().execute(async (tx) => {
    const { rows, hasMore } = await readRows(tx, appId);
    // After the rows: none of a destination's records is taken before it is known.
    const takers = (await listWebhooks(tx, appId, 'destination')).flatMap(toTaker);
    const taken = takeRecords(rows, takers);
    await removeTaken(tx, appId, taken);
    const batches = takers.flatMap(({ row, maxItems, taken }) =>
      [...chunks(taken, maxItems)].map((some) => {
        const message = toBatch(deps, row, some);
        const of = { app_id: appId, webhook_id: row.id, message_id: message.id };
        return { message, due: toDue(deps, of) };
      }),
    );
    return { due: await insertBatches(tx, batches), hasMore: hasMore || taken.hasMore };
  });
  deps.dispatcher.wake(firstOfEach(due));
  return hasMore ? 'more' : 'all';
}

function toTaker(row: WebhookRow): Taker[] {
  const type = row.enabled === 1 ? typeOf(row.type) : null;
  if (type === null) return [];
  return [{ row, choice: choiceOf(row), maxItems: Math.min(type.limits.maxItems, MAX_RECORDS), taken: [] }];
}

type Row = Pick<DestinationFeedTable, 'id' | 'records'>;

/** The oldest. Processes take different rows; only those that are read are locked, since many may wait. */
async function readRows(tx: Transaction, appId: string): Promise<{ rows: Row[]; hasMore: boolean }> {
  const ofApp = tx.selectFrom('destination_feed').where('app_id', '=', appId);
  const waiting = await ofApp
    .select(['id', sql<number>`octet_length(records)`.as('bytes')])
    .orderBy('id')
    .limit(MAX_ROWS)
    .execute();
  const ids: string[] = [];
  let bytes = 0;
  for (const row of waiting) {
    if (bytes >= MAX_BYTES) break;
    ids.push(row.id);
    bytes += Number(row.bytes);
  }
  if (ids.length === 0) return { rows: [], hasMore: false };
  const rows = await ofApp
    .select(['id', 'records'])
    .where(isAmong(tx, 'id', ids))
    .orderBy('id')
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  // Without any, another process takes them and what follows.
  const isLast = rows.length === 0 || (ids.length === waiting.length && waiting.length < MAX_ROWS);
  return { rows, hasMore: !isLast };
}

interface Taken {
  /** Rows of which nothing is left. */
  readonly emptied: readonly string[];
  /** A row with what is left of it. */
  readonly left: Row | null;
  readonly hasMore: boolean;
}

/** Gives records to the destinations that take them, until their messages are enough for a transaction. Pure but for `takers`. */
export function takeRecords(rows: readonly Row[], takers: readonly Taker[]): Taken {
  let [messages, records] = [0, 0];
  const isFull = () => messages >= MAX_MESSAGES || records >= MAX_RECORDS_AT_ONCE;
  const emptied: string[] = [];
  for (const row of rows) {
    if (isFull()) return { emptied, left: null, hasMore: true };
    const ofRow = readFeedRow(row);
    const end = ofRow.findIndex((record) => {
      if (isFull()) return true;
      records += 1;
      messages += give(record, takers);
      return false;
    });
    if (end >= 0) {
      const left = { id: row.id, records: writeFeedRecords(ofRow.slice(end)) };
      return { emptied, left, hasMore: true };
    }
    emptied.push(row.id);
  }
  return { emptied, left: null, hasMore: false };
}

async function removeTaken(tx: Transaction, appId: string, { emptied, left }: Taken): Promise<void> {
  await tx
    .deleteFrom('destination_feed')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', emptied))
    .execute();
  if (left === null) return;
  await tx
    .updateTable('destination_feed')
    .set({ records: left.records })
    .where('app_id', '=', appId)
    .where('id', '=', left.id)
    .execute();
}

/** @returns how many messages it makes, of which a record may be a part. */
function give(record: FeedRecord, takers: readonly Taker[]): number {
  let messages = 0;
  for (const { choice, maxItems, taken } of takers) {
    if (!takes(choice, record)) continue;
    taken.push(record);
    messages += 1 / maxItems;
  }
  return messages;
}

function firstOfEach(due: readonly DueAttempt[]): DueAttempt[] {
  return [...new Map(due.map((each) => [each.webhook_id, each])).values()];
}
