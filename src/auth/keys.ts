import { type Change, type ChangedBy, recordChange } from '../audit/index.ts';
import type { Db, Transaction } from '../db/index.ts';
import { AppError, StartError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { hashKey, hintOf, isPublishable, type KeyKind, makeKey, nameOf } from './key.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyRow } from './queries.ts';
import * as queries from './queries.ts';

/** The key itself, beside its row. */
export interface MadeKey {
  readonly row: KeyRow;
  readonly key: string;
}

interface NewKey {
  readonly appId: string;
  readonly kind: KeyKind;
  /** Null for that of its kind. */
  readonly name?: string | null;
  /** The id of the key that it takes the place of. */
  readonly replaces?: string;
  readonly by: ChangedBy;
}

type Times = Pick<Foundation, 'clock' | 'ids'>;

/** Returns a secret key itself once; only its hash is stored. */
export async function createKey(
  { db, clock, ids, config }: Times & Pick<Foundation, 'db' | 'config'>,
  given: NewKey,
): Promise<MadeKey> {
  checkName(given.name);
  const key = makeKey(given.kind, config.region);
  const { id } = await db.transaction().execute((tx) => storeKey(tx, { clock, ids }, { ...given, key }));
  return { row: await readKey(db, { appId: given.appId, keyId: id }), key };
}

/** @returns the id of its row. @throws StartError if the key exists. */
export async function storeKey(
  tx: Transaction,
  { clock, ids }: Times,
  { appId, kind, name = null, replaces, key, by }: NewKey & { key: string },
): Promise<{ id: string }> {
  const row = {
    ...{ app_id: appId, id: ids.next(), kind, name, hint: hintOf(key, kind), hash: hashKey(key) },
    public_key: isPublishable(kind) ? key : null,
    ...makerOf(by),
    ...{ created_at: isoTime(clock.nowMs()), last_used_at: null, revoked_at: null },
    ...{ ends_at: null, replaces: replaces ?? null, replaced_by: null },
  };
  if (!(await queries.insertKey(tx, row)))
    throw new StartError(`The key ${row.hint} exists already. Choose another one.`);
  await recordKeyChange(tx, { clock, ids }, row, { action: 'key.created', by, about: { replaces } });
  return row;
}

/** @throws AppError `request.invalid` for a name that nobody can see. */
export function checkName(name: string | null | undefined): void {
  if (typeof name === 'string' && name.trim() === '')
    throw new AppError('request.invalid', {
      message: 'name must have a character that is no space. Send null for a name that says the kind.',
    });
}

function makerOf(by: ChangedBy): { maker: string | null; made_by: string | null } {
  if (typeof by === 'string') return { maker: by, made_by: null };
  return 'user' in by ? { maker: 'user', made_by: by.user.id } : { maker: null, made_by: null };
}

/** @throws AppError `key.not_found`. */
export async function readKey(db: Db, { appId, keyId }: { appId: string; keyId: string }): Promise<KeyRow> {
  const row = await queries.findKey(db, appId, keyId);
  if (row === undefined) throw new AppError('key.not_found');
  return row;
}

/**
 * Revokes the keys that a user made for an app. For the caller to `forget` in the key ring after the commit.
 * @returns the revoked keys.
 */
export async function revokeKeysOf(
  tx: Transaction,
  { clock, ids }: Times,
  { appId, userId, by }: { appId: string; userId: string; by: ChangedBy },
): Promise<KeyRow[]> {
  const now = isoTime(clock.nowMs());
  const keys = await queries.listActiveKeysOf(tx, appId, { madeBy: userId, now });
  for (const key of keys) {
    await queries.revokeKey(tx, appId, key.id, now);
    await recordKeyChange(tx, { clock, ids }, key, { action: 'key.revoked', by });
  }
  return keys;
}

/** Takes effect in this process at once, in other processes within 3 s. Idempotent. */
export async function revokeKey(
  { db, clock, ids, keyRing }: Times & Pick<Foundation, 'db'> & { keyRing: KeyRing },
  { appId, keyId, by }: { appId: string; keyId: string; by: ChangedBy },
): Promise<void> {
  const key = await readKey(db, { appId, keyId });
  await db.transaction().execute(async (tx) => {
    if (!(await queries.revokeKey(tx, appId, keyId, isoTime(clock.nowMs())))) return;
    await recordKeyChange(tx, { clock, ids }, key, { action: 'key.revoked', by });
  });
  keyRing.forget(key.hash);
}

/** Records a change of a key, by its kind and its name. */
export async function recordKeyChange(
  tx: Transaction,
  { clock, ids }: Times,
  key: Pick<KeyRow, 'app_id' | 'id' | 'kind' | 'name'>,
  change: Pick<Change, 'action' | 'by' | 'about' | 'changes'>,
): Promise<void> {
  const about = { kind: key.kind, name: nameOf(key), ...change.about };
  const of = { appId: key.app_id, recordId: key.id, sandbox: 0 } as const;
  await recordChange(tx, { clock, ids }, { ...change, ...of, about });
}
