/**
 * Takes installs that are erased or deleted away from what they invited: their links, which go on working, the installs and
 * opens by these, the webhook messages about those, and the statistics.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isAmong, type Store } from '../db/index.ts';
import { MAX_AGE_MS } from '../lib/cache.ts';
import { chunks } from '../lib/chunks.ts';
import {
  forgetInvitersOfLinks,
  type LinkRow,
  listLinksOfInviters,
  scrubInvitation,
  withoutInviter,
} from '../links/index.ts';
import { forgetInviterCells } from '../stats/index.ts';
import { forgetInMessages } from '../webhooks/index.ts';

type Deps = { readonly db: Db; readonly store: Pick<Store, 'waitForTransactions'> };
type GoOn = () => Promise<void>;

const INVITERS_AT_ONCE = 50;
const LINKS_AT_ONCE = 200;
const RECORDS_AT_ONCE = 500;

/** Idempotent, and can be interrupted and repeated. @param installIds at most some hundred. */
export async function forgetInviters(
  deps: Deps,
  appId: string,
  installIds: readonly string[],
  goOn: GoOn = async () => undefined,
): Promise<void> {
  const inviters = await listInvitersAmong(deps.db, appId, installIds);
  for (const ids of chunks(inviters, INVITERS_AT_ONCE)) {
    const linkIds: string[] = [];
    for await (const links of linksOf(deps.db, appId, ids)) {
      await deps.db.transaction().execute(async (tx) => {
        for (const link of links) await scrubInvitation(tx, link);
      });
      linkIds.push(...links.map(({ id }) => id));
      await goOn();
    }
    // The links name their inviter until the records by them do not: an interruption loses nothing.
    if (linkIds.length > 0) {
      await untilCachesAreNew(deps, goOn);
      const scrubAll = async () => {
        for (const some of chunks(linkIds, LINKS_AT_ONCE))
          await scrubRecords(deps.db, { appId, linkIds: some, installIds: ids, goOn });
      };
      await scrubAll();
      await deps.db.transaction().execute(async (tx) => {
        await forgetInviterCells(tx, appId, ids);
        await forgetInvitersOfLinks(tx, appId, ids);
      });
      await untilCachesAreNew(deps, goOn);
      // Those that came while the links still named it.
      await scrubAll();
    }
    await forgetInvitersOfInstalls(deps.db, appId, ids);
  }
}

/** Those that made links, or invited installs. */
async function listInvitersAmong(db: Db, appId: string, installIds: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const table of ['links', 'installs'] as const) {
    const rows = await db
      .selectFrom(table as 'links')
      .select('invited_by')
      .distinct()
      .where('app_id', '=', appId)
      .where(isAmong(db, 'invited_by', installIds))
      .execute();
    for (const { invited_by } of rows) if (invited_by !== null) found.add(invited_by);
  }
  return [...found];
}

/** Until no process has what it read of links before, and no transaction uses it. */
async function untilCachesAreNew({ store }: Deps, goOn: GoOn): Promise<void> {
  await sleep(MAX_AGE_MS);
  await store.waitForTransactions(goOn);
}

async function* linksOf(db: Db, appId: string, installIds: readonly string[]): AsyncGenerator<LinkRow[]> {
  for (let after: string | null = null; ; ) {
    const links: LinkRow[] = await listLinksOfInviters(db, appId, {
      installIds,
      after,
      limit: LINKS_AT_ONCE,
    });
    if (links.length > 0) yield links;
    if (links.length < LINKS_AT_ONCE) return;
    after = links.at(-1)?.id ?? null;
  }
}

interface Invited {
  readonly appId: string;
  readonly linkIds: readonly string[];
  /** Of the inviters. */
  readonly installIds: readonly string[];
  readonly goOn: GoOn;
}

/** The stored answers to installs and opens by these links, and the messages about them. */
async function scrubRecords(db: Db, { appId, linkIds, installIds, goOn }: Invited): Promise<void> {
  for (const table of ['installs', 'opens'] as const)
    for (let after: string | null = null; ; ) {
      const rows: { id: string; answer: string }[] = await db
        .selectFrom(table as 'installs')
        .select(['id', 'answer'])
        .where('app_id', '=', appId)
        .where(isAmong(db, 'link_id', linkIds))
        .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
        .orderBy('id')
        .limit(RECORDS_AT_ONCE)
        .execute();
      const named = rows.flatMap(({ id, answer }) => {
        const scrubbed = scrubbedAnswer(answer, installIds);
        return scrubbed === null ? [] : [{ id, answer: scrubbed }];
      });
      await db.transaction().execute(async (tx) => {
        for (const { id, answer } of named)
          await tx
            .updateTable(table as 'installs')
            .set({ answer })
            .where('app_id', '=', appId)
            .where('id', '=', id)
            .execute();
        await forgetInMessages(tx, appId, { recordIds: rows.map(({ id }) => id), installIds });
      });
      await goOn();
      if (rows.length < RECORDS_AT_ONCE) break;
      after = rows.at(-1)?.id ?? null;
    }
}

/** Null for an answer that names none of the installs. */
function scrubbedAnswer(text: string, installIds: readonly string[]): string | null {
  if (!installIds.some((id) => text.includes(id))) return null;
  const answer = JSON.parse(text) as { metadata?: Readonly<Record<string, unknown>> };
  const { metadata = {} } = answer;
  const scrubbed = withoutInviter(metadata, installIds);
  return scrubbed === metadata ? null : JSON.stringify({ ...answer, metadata: scrubbed });
}

async function forgetInvitersOfInstalls(db: Db, appId: string, installIds: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const invited = await tx
      .updateTable('installs')
      .set({ invited_by: null })
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'invited_by', installIds))
      .returning('id')
      .execute();
    for (const some of chunks(invited, RECORDS_AT_ONCE))
      await forgetInMessages(tx, appId, { recordIds: some.map(({ id }) => id), installIds });
  });
}
