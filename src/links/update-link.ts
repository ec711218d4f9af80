import type { Actor } from '../apps/index.ts';
import { changeRecord, namedFields } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { linkChange } from './link-change.ts';
import type { LinkDirectory } from './link-directory.ts';
import * as queries from './queries.ts';
import { readLink } from './read-link.ts';
import { UpdateLink, type UpdateLinkInput } from './schemas.ts';

/** Changes the fields that the input names; an expiry counts from now. */
export async function updateLink(
  ctx: Ctx & { linkDirectory: LinkDirectory },
  { actor, shortCode, changes }: { actor: Actor; shortCode: string; changes: UpdateLinkInput },
): Promise<LinkRow> {
  const link = await readLink(ctx, { actor, shortCode });
  if ('shortCode' in changes)
    throw new AppError('request.invalid', { message: 'shortCode cannot be changed.' });
  const nowMs = ctx.clock.nowMs();
  const columns = { ...columnsOf(changes, actor, nowMs), updated_at: isoTime(nowMs) };
  const fields = namedFields(UpdateLink, changes);
  const record = changeRecord(ctx, linkChange(actor, link, { action: 'link.updated', fields }));
  const updated = await queries.updateLink(ctx, actor, link.id, columns, record);
  if (updated === undefined) throw new AppError('link.not_found');
  ctx.linkDirectory.forgetLink(updated);
  return updated;
}
