import type { Ctx } from '../platform/ctx.ts';
import { dropOldRows, type ForEachApp } from '../platform/drop-old.ts';

/** Drops clicks that were made before; their daily counts stay. */
export async function dropOldClicks(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  await dropOldRows(ctx, 'clicks', { beforeMs, forEachApp });
}

/** Server's own: tombstones of which no click can be left that they would concern. @param before ISO 8601. */
export async function dropOldTombstones({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('erased_addresses').where('erased_until', '<', before).execute();
}

/** Server's own: what is known of the journals of processes long gone. @param before ISO 8601. */
export async function dropOldJournals({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('journals').where('seen_at', '<', before).execute();
}
