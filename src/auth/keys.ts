import { type ChangedBy, recordChange } from '../audit/index.ts';
import type { Config } from '../config.ts';
import type { ApiKeysTable, Db, Transaction } from '../db/index.ts';
import { AppError, StartError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { hashKey, hintOf, type KeyKind, makeKey } from './key.ts';
import type { KeyRing } from './key-ring.ts';
import * as queries from './queries.ts';

/** Returns the key itself once; only its hash is stored. */
export async function createKey(
  { db, clock, ids, config }: { db: Db; clock: Clock; ids: Ids; config: Config },
  { appId, kind, by }: { appId: string; kind: KeyKind; by: ChangedBy },
): Promise<{ row: ApiKeysTable; key: string }> {
  const key = makeKey(kind, config.region);
  return {
    row: await db.transaction().execute((tx) => storeKey(tx, { clock, ids }, { appId, kind, key, by })),
    key,
  };
}

/** @throws StartError if the key exists. */
export async function storeKey(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  { appId, kind, key, by }: { appId: string; kind: KeyKind; key: string; by: ChangedBy },
): Promise<ApiKeysTable> {
  const row: ApiKeysTable = {
    app_id: appId,
    id: ids.next(),
    kind,
    hint: hintOf(key, kind),
    hash: hashKey(key),
    made_by: typeof by === 'object' && 'user' in by ? by.user.id : null,
    created_at: isoTime(clock.nowMs()),
    last_used_at: null,
    revoked_at: null,
  };
  if (!(await queries.insertKey(tx, row)))
    throw new StartError(`The key ${row.hint} exists already. Choose another one.`);
  const change = { appId, recordId: row.id, sandbox: 0, about: { kind } } as const;
  await recordChange(tx, { clock, ids }, { ...change, action: 'key.created', by });
  return row;
}

/**
 * Revokes the keys that a user made for an app. For the caller to `forget` in the key ring after the commit.
 * @returns the revoked keys.
 */
export async function revokeKeysOf(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  { appId, userId, by }: { appId: string; userId: string; by: ChangedBy },
): Promise<ApiKeysTable[]> {
  const keys = await queries.listActiveKeysOf(tx, appId, userId);
  for (const { id, kind } of keys) {
    await queries.revokeKey(tx, appId, id, isoTime(clock.nowMs()));
    const change = { appId, recordId: id, sandbox: 0, about: { kind } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'key.revoked', by });
  }
  return keys;
}

/** Takes effect in this process at once, in other processes within 3 s. Idempotent. */
export async function revokeKey(
  { db, clock, ids, keyRing }: { db: Db; clock: Clock; ids: Ids; keyRing: KeyRing },
  { appId, keyId, by }: { appId: string; keyId: string; by: ChangedBy },
): Promise<void> {
  const key = await queries.findKey(db, appId, keyId);
  if (key === undefined) throw new AppError('key.not_found');
  await db.transaction().execute(async (tx) => {
    if (!(await queries.revokeKey(tx, appId, keyId, isoTime(clock.nowMs())))) return;
    const change = { appId, recordId: keyId, sandbox: 0, about: { kind: key.kind } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'key.revoked', by });
  });
  keyRing.forget(key.hash);
}
