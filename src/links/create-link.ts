import { customAlphabet } from 'nanoid';
import type { Actor } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import type { Ctx } from '../ctx.ts';
import { toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../lib/clock.ts';
import { linkChange } from './change-link.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { insertLink, insertShortCode } from './queries.ts';
import { CreateLink, type CreateLinkInput } from './schemas.ts';

/** Without characters that are easily confused: 0 O o, 1 I l. */
const makeCode = customAlphabet('23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz', 8);
/** Collisions among 56^8 codes are so rare that several in a row are a bug. */
const MAX_ATTEMPTS = 5;

/** Runs in the caller's transaction. @throws AppError `link.code_taken`, `request.invalid`. */
export async function createLink(
  ctx: Ctx,
  { actor, ...input }: CreateLinkInput & { actor: Actor },
): Promise<LinkRow> {
  const nowMs = ctx.clock.nowMs();
  const now = isoTime(nowMs);
  const id = ctx.ids.next();
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
  link.short_code = await reserveCode(ctx, input.shortCode ?? null, link);
  await insertLink(ctx.db, link);
  const fields = namedFields(CreateLink, input);
  await recordChange(ctx, linkChange(actor, link, { action: 'link.created', fields }));
  return link;
}

async function reserveCode(ctx: Ctx, wanted: string | null, { app_id: appId, id }: LinkRow): Promise<string> {
  if (wanted !== null) {
    if (!(await insertShortCode(ctx.db, wanted, appId, id))) throw new AppError('link.code_taken');
    return wanted;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const code = makeCode();
    if (await insertShortCode(ctx.db, code, appId, id)) return code;
  }
  throw new Error(`Failed to generate an unused short code in ${MAX_ATTEMPTS} attempts`);
}
