import type { Ctx } from '../platform/ctx.ts';
import { dropOldRows, type ForEachApp } from '../platform/drop-old.ts';

/** Drops clicks that were made before; their daily counts stay. */
export async function dropOldClicks(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  await dropOldRows(ctx, 'clicks', { beforeMs, forEachApp });
}

/** Server's own: tombstones of which no click can be left that they would concern, and journals of processes long gone. */
export async function dropOldMarks({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('erased_addresses').where('erased_until', '<', before).execute();
  await db.deleteFrom('journals').where('seen_at', '<', before).execute();
}
