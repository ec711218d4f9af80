/**
 * Takes records from the feed and forms batches of them for each destination. What a destination cannot take waits in its
 * own queue, so that the feed stays short, and a dead destination delays no other.
 */
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
const MAX_RECORDS_AT_ONCE = 2_000;

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

/** Processes take different rows. */
async function takeRecords(
  tx: Transaction,
  appId: string,
): Promise<{ records: FeedRecord[]; hasMore: boolean }> {
  const rows = await tx
    .selectFrom('destination_feed')
    .select(['id', 'records'])
    .where('app_id', '=', appId)
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked())
    .execute();
  const records: FeedRecord[] = [];
  const ids: string[] = [];
  for (const row of rows) {
    if (records.length >= MAX_RECORDS_AT_ONCE) break;
    records.push(...readFeedRow(row));
    ids.push(row.id);
  }
  if (ids.length > 0)
    await tx
      .deleteFrom('destination_feed')
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'id', ids))
      .execute();
  return { records, hasMore: ids.length < rows.length || rows.length === ROWS_AT_ONCE };
}

function firstOfEach(due: readonly DueAttempt[]): DueAttempt[] {
  return [...new Map(due.map((each) => [each.webhook_id, each])).values()];
}
