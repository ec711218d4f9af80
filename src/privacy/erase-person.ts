import { insertAuditEntries } from '../audit/index.ts';
import { setTombstones } from '../click-log/index.ts';
import { type Db, forEachReachable, isNodeAway, type Store, toFlag } from '../db/index.ts';
import { markGone } from '../installs/index.ts';
import { chunks } from '../lib/chunks.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Heartbeat } from '../lib/loop.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { Person } from '../personal-data.ts';
import { eraseWaiting } from '../revenuecat/index.ts';
import { eraseLateResponsesInFlight } from '../webhooks/index.ts';
import { addScrubbed, eraseRecords } from './erase-records.ts';
import { findPerson, withoutShared } from './find-person.ts';
import { ERASED } from './manifest.ts';
import {
  completeErasureRequest,
  deleteErasureIdentifiers,
  type ErasureIdentifier,
  type ErasureRequest,
  findErasureRequest,
  insertErasureIdentifiers,
  listErasureIdentifiers,
  updateErasureRequest,
} from './queries.ts';

/**
 * Stores the identifiers of the person's records with the request, and tombstones of the addresses and of the person's
 * installs, but not of those of strangers at the same addresses; once. If records of nobody known are left out, the
 * addresses get no tombstone: who made a late click is not known.
 */
export async function storeIdentifiers(
  { db, clock, secrets }: { db: Db; clock: Clock; secrets: Secrets },
  request: ErasureRequest,
  goOn: Heartbeat,
): Promise<void> {
  if (request.identifiers_found_at !== null) return;
  const { app_id: appId, user_id: userId, ip_hash, id: request_id } = request;
  const ipHashes = ip_hash?.split(' ') ?? [];
  const sandboxOnly = request.sandbox === 1;
  const found = await findPerson(db, { appId, sandboxOnly, userId, ipHashes }, goOn);
  const person = request.spare_shared === 1 ? withoutShared(found) : found;
  const identifiers: ErasureIdentifier[] = KINDS.flatMap((kind) =>
    person[kind].map((value) => ({ app_id: appId, request_id, kind, value })),
  );
  await db.transaction().execute(async (tx) => {
    await updateErasureRequest(tx, request, {
      identifiers_found_at: isoTime(clock.nowMs()),
      spare_shared: toFlag(person.knownOnly),
    });
    for (const rows of chunks(identifiers, ROWS_PER_STATEMENT)) await insertErasureIdentifiers(tx, rows);
    for (const ipHashes of chunks(person.knownOnly ? [] : person.addresses, ROWS_PER_STATEMENT))
      await setTombstones(tx, { clock, secrets }, { appId, sandboxOnly, ipHashes });
    for (const ids of chunks(person.installs, ROWS_PER_STATEMENT))
      await markGone(tx, { clock, secrets }, appId, ids);
  });
}

/** Few statements keep the transaction short. */
const ROWS_PER_STATEMENT = 500;
const KINDS = ['addresses', 'installs', 'clicks', 'neighbours'] as const;

/**
 * Scrubs the records of a request with stored identifiers. Can be interrupted and repeated: the identifiers are stored
 * until the last record is scrubbed.
 */
export async function erasePerson(
  { db, store, clock, ids, secrets }: { db: Db; store: Store; clock: Clock; ids: Ids; secrets: Secrets },
  request: ErasureRequest,
  goOn: Heartbeat,
): Promise<void> {
  const person = await readPerson(db, request);
  // Before the events, which those that wait become.
  await eraseWaiting({ db, secrets }, person, (tx, waitingPurchases) =>
    addScrubbed(tx, request, { waitingPurchases }),
  );
  for (const data of ERASED) {
    await eraseRecords({ db, store, clock }, { request, person, data, goOn });
    // Transactions that read a record before it was scrubbed may copy its data to records of the next kind.
    await store.waitForTransactions(goOn);
  }
  await eraseLateResponsesInFlight(
    db,
    { appId: request.app_id, sinceMs: Date.parse(request.requested_at) },
    goOn,
  );
  await closeRequest({ db, clock, ids }, request);
}

/** Completes requests with scrubbed records, after scrubbing the database files. */
export async function completeErasures(
  {
    db,
    store,
    clock,
    foldCounts,
  }: { db: Db; store: Store; clock: Clock; foldCounts: (appId: string) => Promise<void> },
  requests: readonly ErasureRequest[],
  goOn: Heartbeat,
): Promise<void> {
  if (requests.length === 0) return;
  const folded = new Set<string>();
  const appIds = [...new Set(requests.map(({ app_id }) => app_id))];
  const folds = forEachReachable(
    db,
    appIds,
    (appId) => appId,
    async (appId) => {
      // Pending counts have all UTM values of their clicks, roll-ups only those of dimensions.
      await foldCounts(appId);
      folded.add(appId);
    },
  );
  // Those of the other apps are completed first.
  const away = await folds.then(
    () => null,
    (error: unknown) => error,
  );
  if (away !== null && !isNodeAway(away)) throw away;
  await store.scrubFiles(goOn);
  for (const request of requests.filter(({ app_id }) => folded.has(app_id)))
    await completeErasureRequest(db, request, isoTime(clock.nowMs()));
  if (away !== null) throw away;
}

async function readPerson(db: Db, request: ErasureRequest): Promise<Person> {
  const rows = await listErasureIdentifiers(db, request.app_id, request.id);
  // That of the time when the identifiers were found.
  const stored = await findErasureRequest(db, request.app_id, request.id);
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  const of = (kind: (typeof KINDS)[number]) => (byKind.get(kind) ?? []).map(({ value }) => value);
  return {
    appId: request.app_id,
    sandboxOnly: request.sandbox === 1,
    userId: request.user_id,
    addresses: of('addresses'),
    installs: of('installs'),
    clicks: of('clicks'),
    neighbours: of('neighbours'),
    knownOnly: stored?.spare_shared === 1,
  };
}

/** Removes the person from the request itself. */
async function closeRequest(
  { db, clock, ids }: { db: Db; clock: Clock; ids: Ids },
  request: ErasureRequest,
): Promise<void> {
  const now = isoTime(clock.nowMs());
  await db.transaction().execute(async (tx) => {
    await updateErasureRequest(tx, request, { ip_hash: null, user_id: null, scrubbed_at: now });
    await deleteErasureIdentifiers(tx, request.app_id, request.id);
    const { counts = '{}' } = (await findErasureRequest(tx, request.app_id, request.id)) ?? {};
    await insertAuditEntries(tx, [
      {
        app_id: request.app_id,
        id: ids.next(),
        action: 'privacy.erased',
        details: JSON.stringify({ requestId: request.id, scrubbed: JSON.parse(counts) }),
        sandbox: request.sandbox,
        created_at: now,
      },
    ]);
  });
}
