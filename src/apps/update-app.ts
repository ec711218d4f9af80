import { type ChangedBy, namedFields, recordChange } from '../audit/index.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { AppRow } from './app.ts';
import { columnsOf } from './columns.ts';
import * as queries from './queries.ts';
import { UpdateApp, type UpdateAppInput } from './schemas.ts';
import { rethrowHostTaken } from './short-link-host.ts';

/** Affects the app's links within a second, in all processes. @throws AppError `app.not_found` or `app.host_taken`. */
export async function updateApp(
  { db, clock, ids, config }: { db: Db; clock: Clock; ids: Ids; config: Config },
  { appId, changes, by }: { appId: string; changes: UpdateAppInput; by: ChangedBy },
): Promise<AppRow> {
  const updatedAt = isoTime(clock.nowMs());
  const columns = { ...columnsOf(config, changes), updated_at: updatedAt };
  return await db.transaction().execute(async (tx) => {
    const app = await queries.updateApp(tx, appId, columns).catch(rethrowHostTaken);
    if (app === undefined) throw new AppError('app.not_found');
    const fields = namedFields(UpdateApp, changes);
    const change = { appId, recordId: appId, sandbox: 0, fields } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'app.updated', by });
    return app;
  });
}
