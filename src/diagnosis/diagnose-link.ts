import type { Static } from 'typebox';
import type { Actor, AppDirectory, HostDirectory } from '../apps/index.ts';
import { type LinkDirectory, readLink } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { findFaults } from './find-faults.ts';
import { namedApps } from './named-apps.ts';
import type { Diagnosis } from './schemas.ts';
import { askAsVisitors } from './visitors.ts';

export type DiagnosisCtx = Ctx & {
  appDirectory: AppDirectory;
  hostDirectory: HostDirectory;
  linkDirectory: LinkDirectory;
};

/**
 * Says what visitors of a link get, and what is wrong with it and with what it depends on. Nothing is recorded, and
 * nothing is asked of other hosts.
 * @throws AppError `link.not_found` for what this caller cannot see.
 */
export async function diagnoseLink(
  ctx: DiagnosisCtx,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<Static<typeof Diagnosis>> {
  const row = await readLink(ctx, { actor, shortCode });
  const [link, app] = await Promise.all([
    ctx.linkDirectory.resolve(shortCode),
    ctx.appDirectory.get(actor.appId),
  ]);
  if (link === null) throw new AppError('link.not_found');
  const nowMs = ctx.clock.nowMs();
  const visitors = askAsVisitors(link, { nowMs, clickId: ctx.ids.next() });
  const named = namedApps(await ctx.hostDirectory.filesAt(new URL(link.shortUrl).host));
  const findings = findFaults({ link, row, app, visitors, named, mode: actor.mode, nowMs });
  return { shortCode, shortUrl: link.shortUrl, visitors: Object.values(visitors), findings };
}
