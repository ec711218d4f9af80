import { customAlphabet } from 'nanoid';
import type { Actor } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import { type Db, type Transaction, toFlag } from '../db/index.ts';
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

/** @throws AppError `link.code_taken`, `request.invalid`. */
export async function createLink(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  { actor, ...input }: CreateLinkInput & { actor: Actor },
): Promise<LinkRow> {
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const id = ids.next();
  const columns = columnsOf(input, actor, nowMs);
  const link = await insertLink(tx, {
    ...columns,
    app_id: actor.appId,
    id,
    short_code: await reserveCode(tx, { wanted: input.shortCode ?? null, appId: actor.appId, id }),
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
  { wanted, appId, id }: { wanted: string | null; appId: string; id: string },
): Promise<string> {
  if (wanted !== null) {
    if (!(await insertShortCode(db, wanted, appId, id))) throw new AppError('link.code_taken');
    return wanted;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const code = makeCode();
    if (await insertShortCode(db, code, appId, id)) return code;
  }
  throw new Error(`Failed to generate an unused short code in ${MAX_ATTEMPTS} attempts`);
}
