import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { IdempotencyKeysTable, Transaction } from '../db/index.ts';
import { isAmong, logDropped, onEachNode } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';

interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
}

const MAX_KEY_CHARACTERS = 255;
const RETENTION_MS = DAY_MS;

export const IdempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_KEY_CHARACTERS,
      description: 'Made by the client: a retry with it and the same body gets the first response again',
    }),
  ),
});

/** The header `Idempotency-Key`, or null. @throws AppError `request.invalid` if it is empty or too long. */
export function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_CHARACTERS)
    throw new AppError('request.invalid', { message: 'Idempotency-Key must have 1 to 255 characters.' });
  return key;
}

/**
 * Runs `work` in a transaction. With a key, the transaction stores the response, which a retry with the same key and body
 * gets for 24 hours. An error stores nothing, so the request may be retried with the same key.
 * @throws AppError `idempotency.conflict` for another body.
 */
export async function withIdempotency(
  { db, clock, secrets }: Pick<Foundation, 'db' | 'clock' | 'secrets'>,
  request: { appId: string; scope: string; key: string | null; body: unknown },
  work: (tx: Transaction) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const { key } = request;
  if (key === null) return await db.transaction().execute(work);
  return await db.transaction().execute(async (tx) => {
    const row: IdempotencyKeysTable = {
      app_id: request.appId,
      scope: request.scope,
      idempotency_key: key,
      // Some clients send a retry with the fields in another order.
      request_hash: secrets.hashRequest(canonicalJson(request.body)),
      status: 0,
      response: 'null',
      created_at: isoTime(clock.nowMs()),
    };
    const earlier = (await claimKey(tx, { clock }, row)) ? null : await findResponse(tx, row);
    if (earlier !== null && earlier.request_hash !== row.request_hash)
      throw new AppError('idempotency.conflict');
    if (earlier !== null) return { status: earlier.status, body: JSON.parse(earlier.response) as unknown };

    const response = await work(tx);
    await whereKey(tx.updateTable('idempotency_keys'), row)
      .set({ status: response.status, response: JSON.stringify(response.body) })
      .execute();
    return response;
  });
}

/** Deletes expired responses of all apps, but for those on a node that is away. */
export async function deleteExpiredResponses({
  db,
  clock,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'log'>): Promise<void> {
  const before = oldestValid({ clock });
  const { results } = await onEachNode(db, (ofApps) =>
    db
      .deleteFrom('idempotency_keys')
      .where('created_at', '<', before)
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
      .executeTakeFirstOrThrow(),
  );
  const rows = results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
  logDropped({ log }, { table: 'idempotency_keys', rows, before });
}

/**
 * Returns false when the key has a valid response; on PostgreSQL it waits for a concurrent request with the same key.
 * Either way the transaction holds a lock on the row.
 */
async function claimKey(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  row: IdempotencyKeysTable,
): Promise<boolean> {
  const { request_hash, status, response, created_at } = row;
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'scope', 'idempotency_key'])
        .doUpdateSet({ request_hash, status, response, created_at })
        .where('idempotency_keys.created_at', '<', oldestValid({ clock })),
    )
    .returning('status')
    .executeTakeFirst();
  return claimed !== undefined;
}

function oldestValid({ clock }: Pick<Foundation, 'clock'>): string {
  return isoTime(clock.nowMs() - RETENTION_MS);
}

async function findResponse(tx: Transaction, row: IdempotencyKeysTable): Promise<IdempotencyKeysTable> {
  return await whereKey(tx.selectFrom('idempotency_keys'), row).selectAll().executeTakeFirstOrThrow();
}

function whereKey<
  Q extends { where(column: 'app_id' | 'scope' | 'idempotency_key', operator: '=', value: string): Q },
>(query: Q, row: IdempotencyKeysTable): Q {
  return query
    .where('app_id', '=', row.app_id)
    .where('scope', '=', row.scope)
    .where('idempotency_key', '=', row.idempotency_key);
}
