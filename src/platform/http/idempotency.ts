import type { FastifyRequest } from 'fastify';
import { DAY_MS, isoTime } from '../clock.ts';
import { type Ctx, inTransaction } from '../ctx.ts';
import type { IdempotencyKeysTable } from '../db/index.ts';
import { logDropped } from '../drop-old.ts';
import { AppError } from '../errors.ts';

/** An answer as it is stored and sent again. */
interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

const MAX_KEY_CHARACTERS = 255;
const KEPT_MS = DAY_MS;

/** The header `Idempotency-Key`, or null where there is none. @throws AppError `request.invalid` where it is empty or too long. */
export function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_CHARACTERS)
    throw new AppError('request.invalid', { message: 'Idempotency-Key must have 1 to 255 characters.' });
  return key;
}

/**
 * Does `work` in one transaction. With a key, the answer is stored in that transaction: the same key and body within
 * 24 hours gives it again, another body is refused. A fault stores nothing, so it may be tried again with the same key.
 * @throws AppError `idempotency.conflict` for another body.
 */
export async function answerOnce<C extends Ctx>(
  ctx: C,
  request: { appId: string; scope: string; key: string | null; body: unknown },
  work: (tx: C) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { key } = request;
  if (key === null) return await inTransaction(ctx, work);
  return await inTransaction(ctx, async (tx) => {
    const row: IdempotencyKeysTable = {
      app_id: request.appId,
      scope: request.scope,
      idempotency_key: key,
      request_hash: ctx.secrets.hashRequest(inOrder(request.body)),
      status: 0,
      response: 'null',
      created_at: isoTime(tx.clock.nowMs()),
    };
    const earlier = (await takePlace(tx, row)) ? null : await findAnswer(tx, row);
    if (earlier !== null && earlier.request_hash !== row.request_hash)
      throw new AppError('idempotency.conflict');
    if (earlier !== null) return { status: earlier.status, body: JSON.parse(earlier.response) as unknown };

    const answer = await work(tx);
    await at(tx.db.updateTable('idempotency_keys'), row)
      .set({ status: answer.status, response: JSON.stringify(answer.body) })
      .execute();
    return answer;
  });
}

/** A body as JSON, whatever order its fields came in: clients that have no order send a retry in another one. */
function inOrder(body: unknown): string {
  const sorted = (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(body, sorted) ?? '';
}

/** Server's own: deletes the answers that are past their time, in all apps. */
export async function deleteOldAnswers(ctx: Ctx): Promise<void> {
  const before = oldest(ctx);
  const deleted = await ctx.db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', before)
    .executeTakeFirstOrThrow();
  logDropped(ctx, { table: 'idempotency_keys', rows: Number(deleted.numDeletedRows), before });
}

/**
 * False when the key has an answer that still counts; on PostgreSQL that waits for a request under way with the same
 * key. Either way the row is this transaction's until it ends: no other request works for it, and nobody tidies it away.
 */
async function takePlace(tx: Ctx, row: IdempotencyKeysTable): Promise<boolean> {
  const { request_hash, status, response, created_at } = row;
  const taken = await tx.db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'scope', 'idempotency_key'])
        .doUpdateSet({ request_hash, status, response, created_at })
        .where('idempotency_keys.created_at', '<', oldest(tx)),
    )
    .returning('status')
    .executeTakeFirst();
  return taken !== undefined;
}

/** What was made before is too old to be given again. */
function oldest({ clock }: Ctx): string {
  return isoTime(clock.nowMs() - KEPT_MS);
}

async function findAnswer(tx: Ctx, row: IdempotencyKeysTable): Promise<IdempotencyKeysTable> {
  return await at(tx.db.selectFrom('idempotency_keys'), row).selectAll().executeTakeFirstOrThrow();
}

function at<
  Q extends { where(column: 'app_id' | 'scope' | 'idempotency_key', operator: '=', value: string): Q },
>(query: Q, row: IdempotencyKeysTable): Q {
  return query
    .where('app_id', '=', row.app_id)
    .where('scope', '=', row.scope)
    .where('idempotency_key', '=', row.idempotency_key);
}
