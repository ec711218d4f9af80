/**
 * Takes records from the feed and forms batches of them for each destination. What a destination cannot take waits in its
 * own queue, so that the feed stays short, and a dead destination delays no other.
 */
import { sql } from 'kysely';
import {
  type Db,
  forEachReachable,
  isAmong,
  isShared,
  onEachNode,
  type Transaction,
} from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { type Dispatcher, type DueAttempt, toDue } from '../attempts/index.ts';
import { listWebhooks } from '../queries.ts';
import { insertBatches, MAX_RECORDS, toBatch } from './batch.ts';
import { choiceOf, typeOf } from './destination.ts';
import { type FeedRecord, readFeedRow, takes } from './feed.ts';

/** Records of a second make one batch. */
const FORM_EVERY_MS = SECOND_MS;
/** In one transaction, which SQLite's only writer waits for: some 2,000 records. */
const ROWS_AT_ONCE = 500;
const MAX_BYTES_AT_ONCE = 100_000;

type FormDeps = Pick<Foundation, 'db' | 'clock' | 'ids'> & { readonly dispatcher: Pick<Dispatcher, 'wake'> };

export function startForming(deps: FormDeps & Pick<Foundation, 'log'>): Loop {
  return startLoop('batches for destinations', FORM_EVERY_MS, deps.log, () => formAll(deps));
}

/** Of all apps, but for those on a node that is away. */
export async function formAll(deps: FormDeps): Promise<void> {
  await forEachReachable(
    deps.db,
    await listAppsInFeed(deps.db),
    (appId) => appId,
    async (appId) => {
      while ((await formSome(deps, appId)) === 'more');
    },
  );
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

async function formSome(deps: FormDeps, appId: string): Promise<'all' | 'more'> {
  const { due, hasMore } = await deps.db.transaction().execute(async (tx) => {
    const { records, hasMore } = await takeRecords(tx, appId);
    const rows = await listWebhooks(tx, appId, 'destination');
    const batches = rows.flatMap((row) => {
      const choice = choiceOf(row);
      const type = row.enabled === 1 ? typeOf(row.type) : null;
      if (type === null) return [];
      const taken = records.filter((record) => takes(choice, record));
      return [...chunks(taken, Math.min(type.limits.maxItems, MAX_RECORDS))].map((some) => {
        const message = toBatch(deps, row, some);
        const of = { app_id: appId, webhook_id: row.id, message_id: message.id };
        return { message, due: toDue(deps, of) };
      });
    });
    return { due: await insertBatches(tx, batches), hasMore };
  });
  deps.dispatcher.wake(firstOfEach(due));
  return hasMore ? 'more' : 'all';
}

/** Processes take different rows. Only those that are taken are read whole and locked, as many may wait. */
async function takeRecords(
  tx: Transaction,
  appId: string,
): Promise<{ records: FeedRecord[]; hasMore: boolean }> {
  const ofApp = tx.selectFrom('destination_feed').where('app_id', '=', appId);
  const waiting = await ofApp
    .select(['id', sql<number>`octet_length(records)`.as('bytes')])
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute();
  const some: string[] = [];
  let bytes = 0;
  for (const row of waiting) {
    if (bytes >= MAX_BYTES_AT_ONCE) break;
    some.push(row.id);
    bytes += Number(row.bytes);
  }
  if (some.length === 0) return { records: [], hasMore: false };
  const rows = await ofApp
    .select(['id', 'records'])
    .where(isAmong(tx, 'id', some))
    .orderBy('id')
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0)
    await tx
      .deleteFrom('destination_feed')
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'id', ids))
      .execute();
  // Without any, another process takes them and what follows.
  const isLast = ids.length === 0 || (some.length === waiting.length && waiting.length < ROWS_AT_ONCE);
  return { records: rows.flatMap(readFeedRow), hasMore: !isLast };
}

function firstOfEach(due: readonly DueAttempt[]): DueAttempt[] {
  return [...new Map(due.map((each) => [each.webhook_id, each])).values()];
}
