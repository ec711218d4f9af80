import { type Clock, isoTime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { isShared } from './engine.ts';
import type { Db } from './store.ts';

/** A named lock in the database that expires unless its holder renews it. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
}

/** Acquires or renews a lease. False while another process holds it; always true if the database is not shared. */
export async function holdLease(
  { db, clock }: { db: Db; clock: Clock },
  { name, holder, forMs }: Lease,
): Promise<boolean> {
  if (!isShared(db)) return true;
  const nowMs = clock.nowMs();
  const held = await db
    .insertInto('leases')
    .values({ name, holder, held_until: isoTime(nowMs + forMs) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, held_until: isoTime(nowMs + forMs) })
        .where(({ or, eb }) =>
          or([eb('leases.holder', '=', holder), eb('leases.held_until', '<', isoTime(nowMs))]),
        ),
    )
    .returning('name')
    .executeTakeFirst();
  return held !== undefined;
}

/** Never rejects: a lease that is not released expires. */
export async function releaseLease(
  { db, log }: { db: Db; log: Log },
  { name, holder }: Lease,
): Promise<void> {
  await db
    .deleteFrom('leases')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
    .catch((error: unknown) =>
      log.warn({ err: error, lease: name }, 'Failed to release a lease; it will expire'),
    );
}
