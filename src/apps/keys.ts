import { type ChangedBy, recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../ctx.ts';
import type { ApiKeysTable } from '../db/index.ts';
import { AppError, StartError } from '../errors.ts';
import { isoTime } from '../lib/clock.ts';
import { hashKey, hintOf, type KeyKind, makeKey } from './key.ts';
import type { KeyRing } from './key-ring.ts';
import * as queries from './queries.ts';

/** Returns the key itself once; only its hash is stored. */
export async function createKey(
  ctx: Ctx,
  { appId, kind }: { appId: string; kind: KeyKind },
): Promise<{ row: ApiKeysTable; key: string }> {
  const key = makeKey(kind, ctx.config.region);
  return { row: await inTransaction(ctx, (tx) => storeKey(tx, { appId, kind, key, by: 'admin' })), key };
}

/** Runs in the caller's transaction. @throws StartError if the key exists. */
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
  if (!(await queries.insertKey(ctx.db, row)))
    throw new StartError(`The key ${row.hint} exists already. Choose another one.`);
  const change = { appId, recordId: row.id, sandbox: 0, about: { kind } } as const;
  await recordChange(ctx, { ...change, action: 'key.created', by });
  return row;
}

/** Takes effect in this process at once, in other processes within 3 s. Idempotent. */
export async function revokeKey(
  ctx: Ctx & { keyRing: KeyRing },
  { appId, keyId }: { appId: string; keyId: string },
): Promise<void> {
  const key = await queries.findKey(ctx.db, appId, keyId);
  if (key === undefined) throw new AppError('key.not_found');
  await inTransaction(ctx, async (tx) => {
    if (!(await queries.revokeKey(tx.db, appId, keyId, isoTime(tx.clock.nowMs())))) return;
    const change = { appId, recordId: keyId, sandbox: 0, about: { kind: key.kind } } as const;
    await recordChange(tx, { ...change, action: 'key.revoked', by: 'admin' });
  });
  ctx.keyRing.forget(key.hash);
}
