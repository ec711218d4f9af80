import { type ChangedBy, recordChange } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import type { ApiKeysTable } from '../platform/db/index.ts';
import { AppError, StartError } from '../platform/errors.ts';
import { hashKey, hintOf, type KeyKind, makeKey } from './key.ts';
import { findApp, insertKey } from './queries.ts';

/** Makes a key for the operator and gives it out, this once: only its hash is kept. */
export async function createKey(
  ctx: Ctx,
  { appId, kind }: { appId: string; kind: KeyKind },
): Promise<{ row: ApiKeysTable; key: string }> {
  if ((await findApp(ctx.db, appId)) === undefined) throw new AppError('app.not_found');
  const key = makeKey(kind, ctx.config.region);
  return { row: await inTransaction(ctx, (tx) => storeKey(tx, { appId, kind, key, by: 'admin' })), key };
}

/** Stores a key that was made elsewhere. Runs in the caller's transaction. */
export async function storeKey(
  ctx: Ctx,
  { appId, kind, key, by }: { appId: string; kind: KeyKind; key: string; by: ChangedBy },
): Promise<ApiKeysTable> {
  const row: ApiKeysTable = {
    app_id: appId,
    id: ctx.ids.next(),
    kind,
    hint: hintOf(key, kind),
    hash: hashKey(key),
    created_at: isoTime(ctx.clock.nowMs()),
    last_used_at: null,
    revoked_at: null,
  };
  if (!(await insertKey(ctx.db, row)))
    throw new StartError(`The key ${row.hint} is in use already; choose another one.`);
  const change = { appId, recordId: row.id, sandbox: 0, about: { kind } } as const;
  await recordChange(ctx, { ...change, action: 'key.created', by });
  return row;
}
