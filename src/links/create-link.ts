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
  const link: LinkRow = {
    app_id: actor.appId,
    id,
    short_code: '',
    deep_link_path: '',
    deep_link_params: '{}',
    campaign_id: null,
    ios_destination: null,
    android_destination: null,
    fallback_url: null,
    og_title: null,
    og_description: null,
    og_image: null,
    landing_page: null,
    metadata: '{}',
    sandbox: toFlag(actor.mode === 'test'),
    expires_at: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    ...columnsOf(input, actor, nowMs),
  };
  link.short_code = await reserveCode(tx, input.shortCode ?? null, link);
  await insertLink(tx, link);
  const fields = namedFields(CreateLink, input);
  await recordChange(tx, { clock, ids }, linkChange(actor, link, { action: 'link.created', fields }));
  return link;
}

async function reserveCode(db: Db, wanted: string | null, { app_id: appId, id }: LinkRow): Promise<string> {
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
