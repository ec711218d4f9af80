/** Which events told a transaction before: its revenue is stored with the first alone. */
import type { Db, EventsTable } from '../../db/index.ts';
import type { ForwardedRecord } from './destination-type.ts';

const COLUMNS = [
  'id',
  'install_id',
  'transaction_id',
  'event_name',
  'revenue_amount',
  'revenue_currency',
] as const;
export type ToldEvent = Pick<EventsTable, (typeof COLUMNS)[number]>;

/** An event that told a transaction. Its revenue is null if the transaction was told before. */
export type ToldTransaction = Pick<ForwardedRecord, 'name' | 'revenue'>;

/** Of an install, before the last event that repeats a transaction. They come within minutes of each other. */
const MAX_LOOKED_AT = 1_000;

/** Events of the installs of those that repeat a transaction. */
export async function listTold(db: Db, appId: string, events: readonly EventsTable[]): Promise<ToldEvent[]> {
  const repeats = events.filter((event) => event.repeats_transaction === 1);
  const ofInstalls = Map.groupBy(repeats, ({ install_id: installId }) => installId);
  const told = await Promise.all(
    [...ofInstalls].map(async ([installId, some]) => {
      const lastId = some.reduce((last, { id }) => (id > last ? id : last), '');
      return await db
        .selectFrom('events')
        .select(COLUMNS)
        .where('app_id', '=', appId)
        .where('install_id', '=', installId)
        .where('id', '<', lastId)
        .where('erased', 'is', null)
        .orderBy('id', 'desc')
        .limit(MAX_LOOKED_AT)
        .execute();
    }),
  );
  const ids = new Set(repeats.map(({ transaction_id: id }) => id));
  return told.flat().filter(({ transaction_id: id }) => id !== null && ids.has(id));
}

/** Events of the same install that told the event's transaction before, if it repeats one. */
export function toldBefore(told: readonly ToldEvent[], event: EventsTable): ToldTransaction[] {
  if (event.repeats_transaction !== 1) return [];
  const before = told.filter(
    (each) =>
      each.install_id === event.install_id &&
      each.transaction_id === event.transaction_id &&
      each.id < event.id,
  );
  return before.map((each) => ({ name: each.event_name, revenue: revenueOf(each) }));
}

export function revenueOf({
  revenue_amount: amount,
  revenue_currency: currency,
}: Pick<EventsTable, 'revenue_amount' | 'revenue_currency'>): ForwardedRecord['revenue'] {
  return amount === null || currency === null ? null : { amount, currency };
}
