import { insertAuditEntries } from '../audit/index.ts';
import { setTombstones } from '../clicks/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import type { GoOn } from '../platform/loop.ts';
import { parts } from '../platform/parts.ts';
import type { Person } from '../platform/personal-data.ts';
import { settleErased } from '../webhooks/index.ts';
import { eraseRecords } from './erase-records.ts';
import { findPerson } from './find-person.ts';
import { ERASED } from './manifest.ts';
import {
  completeErasureRequest,
  deleteErasureWays,
  type ErasureRequest,
  type ErasureWay,
  findErasureRequest,
  insertErasureWays,
  listErasureWays,
  updateErasureRequest,
} from './queries.ts';

/**
 * Finds what leads to the person's records and stores it with the request, with the tombstones of the addresses. Does
 * nothing where that was done before.
 */
export async function findWays(ctx: Ctx, request: ErasureRequest, goOn: GoOn): Promise<void> {
  if (request.ways_found_at !== null) return;
  const { app_id: appId, user_id: userId, ip_hash: ipHash, id: request_id } = request;
  const sandboxOnly = request.sandbox === 1;
  const person = await findPerson(ctx, { appId, sandboxOnly, userId, ipHash }, goOn);
  const ways: ErasureWay[] = KINDS.flatMap((kind) =>
    person[kind].map((value) => ({ app_id: appId, request_id, kind, value })),
  );
  await inTransaction(ctx, async (tx) => {
    await updateErasureRequest(tx.db, request, { ways_found_at: isoTime(ctx.clock.nowMs()) });
    for (const some of parts(ways, ROWS_A_STATEMENT)) await insertErasureWays(tx.db, some);
    for (const ipHashes of parts(person.addresses, ROWS_A_STATEMENT))
      await setTombstones(tx, { appId, sandboxOnly, ipHashes });
  });
}

/** They are written in one transaction, which is the shorter the fewer its statements are. */
const ROWS_A_STATEMENT = 500;
const KINDS = ['addresses', 'installs', 'clicks', 'neighbours'] as const;

/**
 * Scrubs the records of a request whose ways are found, until none holds anything of the person. It may be cut at any
 * point and repeated; what was found is kept until the last record is scrubbed.
 */
export async function erasePerson(ctx: Ctx, request: ErasureRequest, goOn: GoOn): Promise<void> {
  const person = await recallWays(ctx, request);
  for (const data of ERASED) {
    await eraseRecords(ctx, { request, person, data, goOn });
    // Who has read a record as it was, and writes what it took from there, is done before the next kind.
    await ctx.store.settled(goOn);
  }
  await settleErased(ctx, { appId: request.app_id, sinceMs: Date.parse(request.requested_at) }, goOn);
  await close(ctx, request);
}

/** Requests whose records are scrubbed are complete once nothing of these is left in the files of the database either. */
export async function completeErasures(
  ctx: Ctx,
  requests: readonly ErasureRequest[],
  goOn: GoOn,
): Promise<void> {
  if (requests.length === 0) return;
  await ctx.store.scrubFiles(goOn);
  for (const request of requests) await completeErasureRequest(ctx.db, request, isoTime(ctx.clock.nowMs()));
}

async function recallWays(ctx: Ctx, request: ErasureRequest): Promise<Person> {
  const ways = Map.groupBy(await listErasureWays(ctx.db, request.app_id, request.id), ({ kind }) => kind);
  const of = (kind: (typeof KINDS)[number]) => (ways.get(kind) ?? []).map(({ value }) => value);
  return {
    appId: request.app_id,
    sandboxOnly: request.sandbox === 1,
    userId: request.user_id,
    addresses: of('addresses'),
    installs: of('installs'),
    clicks: of('clicks'),
    neighbours: of('neighbours'),
  };
}

/** With the last record gone, the request itself forgets whom it was about. */
async function close(ctx: Ctx, request: ErasureRequest): Promise<void> {
  const now = isoTime(ctx.clock.nowMs());
  await inTransaction(ctx, async (tx) => {
    await updateErasureRequest(tx.db, request, { ip_hash: null, user_id: null, scrubbed_at: now });
    await deleteErasureWays(tx.db, request.app_id, request.id);
    const { counts = '{}' } = (await findErasureRequest(tx.db, request.app_id, request.id)) ?? {};
    await insertAuditEntries(tx.db, [
      {
        app_id: request.app_id,
        id: ctx.ids.next(),
        action: 'privacy.erased',
        details: JSON.stringify({ requestId: request.id, scrubbed: JSON.parse(counts) }),
        sandbox: request.sandbox,
        created_at: now,
      },
    ]);
  });
}
