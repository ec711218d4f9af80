/**
 * Tombstones of erased addresses. A journal that a crash left, or that another machine still has, may hold clicks of a
 * person who was erased meanwhile: they are stored as the shells that the erasure would have left.
 */
import { isoTime, MINUTE_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { NEW_CLICK_COLUMNS } from './click.ts';
import { clicksOfPerson } from './personal-data.ts';

export interface ErasedAddresses {
  readonly appId: string;
  readonly sandboxOnly: boolean;
  readonly ipHashes: readonly string[];
}

/** Clicks that were made until now from these addresses hold nothing about a person from now on. */
export async function markErased(tx: Ctx, { appId, sandboxOnly, ipHashes }: ErasedAddresses): Promise<void> {
  if (ipHashes.length === 0) return;
  const now = isoTime(tx.clock.nowMs());
  const rows = ipHashes.map((ipHash) => ({
    app_id: appId,
    address_mark: tx.secrets.markAddress(ipHash),
    sandbox_only: toFlag(sandboxOnly),
    erased_until: now,
  }));
  await tx.db
    .insertInto('erased_addresses')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'address_mark', 'sandbox_only']).doUpdateSet({ erased_until: now }),
    )
    .execute();
}

/** A click as it stands in the journal: its values in the order of `NEW_CLICK_COLUMNS`. */
export type JournalRow = (string | number | null)[];

/** Batches stand in the journal in the order in which they were written; within one, requests may have overtaken others. */
const DISORDER_MS = MINUTE_MS;
const place = (column: (typeof NEW_CLICK_COLUMNS)[number]) => NEW_CLICK_COLUMNS.indexOf(column);
const [APP, SANDBOX, IP_HASH, CLICKED_AT] = (['app_id', 'sandbox', 'ip_hash', 'clicked_at'] as const).map(
  place,
) as [number, number, number, number];
const PERSONAL = Object.keys(clicksOfPerson.erased)
  .map((column) => (NEW_CLICK_COLUMNS as readonly string[]).indexOf(column))
  .filter((index) => index !== -1);

/** Batches of the journal as they may be stored now. */
export async function withoutErased(ctx: Ctx, jsonArrays: readonly string[]): Promise<readonly string[]> {
  const [first] = JSON.parse(jsonArrays[0] ?? '[]') as JournalRow[];
  if (first === undefined) return jsonArrays;
  const oldest = isoTime(Math.max(0, Date.parse(String(first[CLICKED_AT])) - DISORDER_MS));
  const marks = await ctx.db
    .selectFrom('erased_addresses')
    .selectAll()
    .where('erased_until', '>=', oldest)
    .execute();
  if (marks.length === 0) return jsonArrays;

  const erasedUntil = new Map(marks.map((mark) => [keyOf(mark), mark.erased_until]));
  const isErased = (row: JournalRow) => {
    if (row[IP_HASH] === null) return false;
    const address_mark = ctx.secrets.markAddress(String(row[IP_HASH]));
    return ([0, 1] as const).some((sandbox_only) => {
      const until = erasedUntil.get(keyOf({ app_id: String(row[APP]), address_mark, sandbox_only }));
      if (until === undefined || (sandbox_only === 1 && row[SANDBOX] !== 1)) return false;
      return String(row[CLICKED_AT]) <= until;
    });
  };
  return jsonArrays.map((json) => {
    const rows = JSON.parse(json) as JournalRow[];
    for (const row of rows) if (isErased(row)) for (const index of PERSONAL) row[index] = null;
    return JSON.stringify(rows);
  });
}

function keyOf(mark: { app_id: string; address_mark: string; sandbox_only: number }): string {
  return `${mark.app_id} ${mark.address_mark} ${mark.sandbox_only}`;
}
