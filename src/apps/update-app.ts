import { namedFields, recordChange } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { AppRow } from './app.ts';
import { columnsOf } from './columns.ts';
import * as queries from './queries.ts';
import { UpdateApp, type UpdateAppInput } from './schemas.ts';
import { refuseTakenHost } from './short-link-host.ts';

/**
 * Changes the fields that the input names, for the operator. The app's links follow within a second, everywhere.
 * @throws AppError `app.not_found`; `app.host_taken` when another app has the short link host.
 */
export async function updateApp(
  ctx: Ctx,
  { appId, changes }: { appId: string; changes: UpdateAppInput },
): Promise<AppRow> {
  const updatedAt = isoTime(ctx.clock.nowMs());
  const columns = { ...columnsOf(ctx.config, changes), updated_at: updatedAt };
  return await inTransaction(ctx, async (tx) => {
    const app = await queries.updateApp(tx.db, appId, columns).catch(refuseTakenHost);
    if (app === undefined) throw new AppError('app.not_found');
    const fields = namedFields(UpdateApp, changes);
    const change = { appId, recordId: appId, sandbox: 0, fields } as const;
    await recordChange(tx, { ...change, action: 'app.updated', by: 'admin' });
    return app;
  });
}
