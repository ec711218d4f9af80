/**
 * Tombstones of erased addresses. A journal that a crash left, or that another machine still has, may hold clicks of a
 * person who was erased meanwhile: they are stored as the shells that the erasure would have left. Tombstones are kept for
 * as long as clicks are; a click that turns up later than that is stored as a shell whoever it is of.
 */
import { isoTime, MINUTE_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { parseRows, type TextRow, toFlag, toRowText } from '../platform/db/index.ts';
import { endOfOld } from '../platform/drop-old.ts';
import { indexOfColumn, NEW_CLICK_COLUMNS } from './click.ts';
import { clicksOfPerson } from './personal-data.ts';

interface ErasedAddresses {
  readonly appId: string;
  readonly sandboxOnly: boolean;
  readonly ipHashes: readonly string[];
}

/** Clicks that were made until now from these addresses hold nothing about a person from now on. */
export async function setTombstones(
  tx: Ctx,
  { appId, sandboxOnly, ipHashes }: ErasedAddresses,
): Promise<void> {
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
      conflict
        .columns(['app_id', 'address_mark', 'sandbox_only'])
        .doUpdateSet({ erased_until: now })
        // A process whose clock is behind must not uncover what an earlier erasure covers.
        .where('erased_addresses.erased_until', '<', now),
    )
    .execute();
}

/** Within a batch, requests may have overtaken others. */
const DISORDER_MS = MINUTE_MS;
const [APP, SANDBOX, IP_HASH, CLICKED_AT] = [
  indexOfColumn('app_id'),
  indexOfColumn('sandbox'),
  indexOfColumn('ip_hash'),
  indexOfColumn('clicked_at'),
];
const PERSONAL = Object.keys(clicksOfPerson.erased)
  .map((column) => (NEW_CLICK_COLUMNS as readonly string[]).indexOf(column))
  .filter((index) => index !== -1);

/** Batches of the journal as they may be stored now. */
export async function withoutErased(ctx: Ctx, batches: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (batches.length === 0) return batches;
  // Of all batches: a clock that was set back has a later one hold earlier clicks.
  const oldest = isoTime(Math.max(0, Math.min(...batches.map(timeOfFirst)) - DISORDER_MS));
  const tombstones = await ctx.db
    .selectFrom('erased_addresses')
    .selectAll()
    .where('erased_until', '>=', oldest)
    .execute();
  const tooOld = isoTime(endOfOld(ctx, 'clicks', ctx.config.clickRetentionDays));
  if (tombstones.length === 0 && oldest >= tooOld) return batches;

  const erasedUntil = new Map(tombstones.map((each) => [keyOf(each), each.erased_until]));
  const isErased = (row: TextRow) => {
    if (String(row[CLICKED_AT]) < tooOld) return true;
    if (row[IP_HASH] === null) return false;
    const address_mark = ctx.secrets.markAddress(String(row[IP_HASH]));
    return ([0, 1] as const).some((sandbox_only) => {
      const until = erasedUntil.get(keyOf({ app_id: String(row[APP]), address_mark, sandbox_only }));
      if (until === undefined || (sandbox_only === 1 && row[SANDBOX] !== '1')) return false;
      return String(row[CLICKED_AT]) <= until;
    });
  };
  return batches.map((batch) => {
    const rows = parseRows(batch.toString());
    for (const row of rows) if (isErased(row)) for (const index of PERSONAL) row[index] = null;
    return toBatch(rows);
  });
}

/** When the first click of a batch was made. */
function timeOfFirst(batch: Buffer): number {
  const [row] = parseRows(batch.toString('utf8', 0, batch.indexOf('\n') + 1));
  return Date.parse(row?.[CLICKED_AT] ?? isoTime(0));
}

/** Rows as they stand in a batch. */
export function toBatch(rows: readonly (readonly (string | number | null)[])[]): Buffer {
  return Buffer.from(rows.map((row) => `${toRowText(row)}\n`).join(''));
}

function keyOf(tombstone: { app_id: string; address_mark: string; sandbox_only: number }): string {
  return `${tombstone.app_id} ${tombstone.address_mark} ${tombstone.sandbox_only}`;
}
