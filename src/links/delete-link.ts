import type { Actor } from '../apps/index.ts';
import { changeRecord } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { linkChange } from './link-change.ts';
import type { LinkDirectory } from './link-directory.ts';
import { updateLink } from './queries.ts';
import { readLink } from './read-link.ts';

/** The code stops redirecting and is never used again; the link's clicks can still be claimed. */
export async function deleteLink(
  ctx: Ctx & { linkDirectory: LinkDirectory },
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<void> {
  const link = await readLink(ctx, { actor, shortCode });
  const now = isoTime(ctx.clock.nowMs());
  const record = changeRecord(ctx, linkChange(actor, link, { action: 'link.deleted' }));
  await updateLink(ctx, actor, link.id, { deleted_at: now, updated_at: now }, record);
  ctx.linkDirectory.forgetLink(link);
}
