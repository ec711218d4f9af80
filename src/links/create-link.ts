import { customAlphabet } from 'nanoid';
import { namedFields, recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Db, isNodeAway, onSomeNode, type Transaction, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { linkChange } from './change-link.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { insertLink, insertShortCode } from './queries.ts';
import { CreateLink, type CreateLinkInput } from './schemas.ts';

/** Without characters that are easily confused: 0 O o, 1 I l. */
const makeCode = customAlphabet('23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz', 8);
/** Collisions among 56^8 codes are so rare that several in a row are a bug. */
const MAX_ATTEMPTS = 5;
const WANTED_OUT_OF_REACH =
  'The part of the database that has this short code is away. Choose another shortCode, or try again after Retry-After seconds.';

/** The node of a short code is away, or does not respond. */
class CodeOutOfReach extends AppError {}

/**
 * Runs the creation of a link with a generated code. The nodes of a cluster share the codes, so that the code's node may be
 * away while the app's is not: then tries a code of another node.
 */
export async function withNewCode<T>(db: Db, work: (code: string) => Promise<T>): Promise<T> {
  const isAway = (error: unknown) => error instanceof CodeOutOfReach;
  return await onSomeNode(db, { table: 'short_codes', make: makeCode, isAway }, work);
}

/**
 * @param code of a link without a chosen one.
 * @throws AppError `link.code_taken`, `request.invalid`, `database.unavailable` while the node of a chosen code is away.
 */
export async function createLink(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  { actor, ...input }: CreateLinkInput & { actor: Actor },
  code = makeCode(),
): Promise<LinkRow> {
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const id = ids.next();
  const columns = columnsOf(input, actor, nowMs);
  const link = await insertLink(tx, {
    ...columns,
    app_id: actor.appId,
    id,
    short_code: await reserveCode(tx, { wanted: input.shortCode ?? null, code, appId: actor.appId, id }),
    deep_link_path: input.deepLinkPath,
    deep_link_params: columns.deep_link_params ?? '{}',
    metadata: columns.metadata ?? '{}',
    sandbox: columns.sandbox ?? toFlag(actor.mode === 'test'),
    created_at: now,
    updated_at: now,
  });
  const fields = namedFields(CreateLink, input);
  await recordChange(tx, { clock, ids }, linkChange(actor, link, { action: 'link.created', fields }));
  return link;
}

async function reserveCode(
  db: Db,
  { wanted, code, appId, id }: { wanted: string | null; code: string; appId: string; id: string },
): Promise<string> {
  if (wanted !== null) {
    const isNew = await insertShortCode(db, wanted, appId, id).catch((error: unknown) => {
      throw isNodeAway(error)
        ? new AppError('database.unavailable', { message: WANTED_OUT_OF_REACH, cause: error })
        : error;
    });
    if (!isNew) throw new AppError('link.code_taken');
    return wanted;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const next = attempt === 0 ? code : makeCode();
    const isNew = await insertShortCode(db, next, appId, id).catch((error: unknown) => {
      throw isNodeAway(error) ? new CodeOutOfReach('database.unavailable', { cause: error }) : error;
    });
    if (isNew) return next;
  }
  throw new Error(`Failed to generate an unused short code in ${MAX_ATTEMPTS} attempts`);
}
