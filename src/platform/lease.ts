import { isoTime } from './clock.ts';
import type { Ctx } from './ctx.ts';

/** Something that one process at a time does. Whoever stops holding on to it, by a crash too, loses it after a while. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
}

/** Takes a lease, or holds it for longer. False while somebody else has it: nobody, where one process owns the database. */
export async function holdLease(ctx: Ctx, { name, holder, forMs }: Lease): Promise<boolean> {
  if (!ctx.store.isShared) return true;
  const nowMs = ctx.clock.nowMs();
  const held = await ctx.db
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

/** Never fails: a lease that stays runs out by itself. */
export async function releaseLease({ db, log }: Ctx, { name, holder }: Lease): Promise<void> {
  await db
    .deleteFrom('leases')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
    .catch((error: unknown) => log.warn({ err: error, lease: name }, 'a lease was not released'));
}
