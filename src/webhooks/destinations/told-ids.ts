/** Ids of events as receivers get them: the client's, if it sent one. */
import { type Db, isAmong } from '../../db/index.ts';
import { chunks } from '../../lib/chunks.ts';
import type { RecordRef } from './batch.ts';

const EVENTS_AT_ONCE = 1_000;

/** @returns ids of clients by those of the service, where there is one. */
export async function findToldIds(
  db: Db,
  appId: string,
  refs: readonly RecordRef[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(refs.filter(({ kind }) => kind === 'event').map(({ id }) => id));
  const found = new Map<string, string>();
  for (const some of chunks([...ids], EVENTS_AT_ONCE)) {
    const rows = await db
      .selectFrom('events')
      .select(['id', 'client_event_id'])
      .where('app_id', '=', appId)
      .where(isAmong(db, 'id', some))
      .where('client_event_id', 'is not', null)
      .execute();
    for (const { id, client_event_id: told } of rows) found.set(id, told ?? id);
  }
  return found;
}
