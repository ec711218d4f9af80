/**
 * Tombstones of erased addresses. A journal left by a crash, or of another process, may contain clicks of a person who was
 * erased meanwhile. They are stored without personal data, as the erasure would have left them. Tombstones are kept as long
 * as clicks; every older click is stored without personal data.
 */

import { parseRows, retentionStart, type TextRow, type Transaction, toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, MINUTE_MS } from '../lib/clock.ts';
import { indexOfColumn, NEW_CLICK_COLUMNS, toBatch } from './click.ts';
import { clicksOfPerson } from './personal-data.ts';

interface ErasedAddresses {
  readonly appId: string;
  readonly sandboxOnly: boolean;
  readonly ipHashes: readonly string[];
}

/** Marks these addresses: their clicks made until now are stored without personal data. */
export async function setTombstones(
  tx: Transaction,
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  { appId, sandboxOnly, ipHashes }: ErasedAddresses,
): Promise<void> {
  if (ipHashes.length === 0) return;
  const now = isoTime(clock.nowMs());
  const rows = ipHashes.map((ipHash) => ({
    app_id: appId,
    address_mark: secrets.markAddress(ipHash),
    sandbox_only: toFlag(sandboxOnly),
    erased_until: now,
  }));
  await tx
    .insertInto('erased_addresses')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'address_mark', 'sandbox_only'])
        .doUpdateSet({ erased_until: now })
        // A process whose clock is behind must not shorten an earlier erasure.
        .where('erased_addresses.erased_until', '<', now),
    )
    .execute();
}

/** Clicks of a batch are not strictly in order of time. */
const MAX_DISORDER_MS = MINUTE_MS;
const [APP, SANDBOX, IP_HASH, CLICKED_AT] = [
  indexOfColumn('app_id'),
  indexOfColumn('sandbox'),
  indexOfColumn('ip_hash'),
  indexOfColumn('clicked_at'),
];
const [ERASED, ERASED_AT] = [indexOfColumn('erased'), indexOfColumn('erased_at')];
const PERSONAL = NEW_CLICK_COLUMNS.flatMap((column, index) =>
  column in clicksOfPerson.erased ? [index] : [],
);

export type ErasureDeps = Pick<Foundation, 'db' | 'clock' | 'config' | 'secrets'>;

/** Removes personal data from the clicks of erased addresses. */
export async function withoutErased(
  { db, clock, config, secrets }: ErasureDeps,
  batches: readonly Buffer[],
): Promise<readonly Buffer[]> {
  if (batches.length === 0) return batches;
  // Over all batches: after the clock was set back, a later batch has earlier clicks.
  const oldest = isoTime(Math.max(0, Math.min(...batches.map(timeOfFirst)) - MAX_DISORDER_MS));
  const tombstones = await db
    .selectFrom('erased_addresses')
    .selectAll()
    .where('erased_until', '>=', oldest)
    .execute();
  const tooOld = isoTime(retentionStart({ clock }, 'clicks', config.clickRetentionDays));
  if (tombstones.length === 0 && oldest >= tooOld) return batches;

  const erasedUntil = new Map(tombstones.map((each) => [keyOf(each), each.erased_until]));
  const isErased = (row: TextRow) => {
    if (String(row[CLICKED_AT]) < tooOld) return true;
    if (row[IP_HASH] === null) return false;
    const address_mark = secrets.markAddress(String(row[IP_HASH]));
    return ([0, 1] as const).some((sandbox_only) => {
      const until = erasedUntil.get(keyOf({ app_id: String(row[APP]), address_mark, sandbox_only }));
      if (until === undefined || (sandbox_only === 1 && row[SANDBOX] !== '1')) return false;
      return String(row[CLICKED_AT]) <= until;
    });
  };
  const now = isoTime(clock.nowMs());
  return batches.map((batch) => {
    const rows = parseRows(batch.toString());
    for (const row of rows)
      if (isErased(row)) {
        for (const index of PERSONAL) row[index] = null;
        row[ERASED] = '1';
        // Rows of an older journal are shorter.
        while (row.length < ERASED_AT) row.push(null);
        row[ERASED_AT] = now;
      }
    return toBatch(rows);
  });
}

function timeOfFirst(batch: Buffer): number {
  const [row] = parseRows(batch.toString('utf8', 0, batch.indexOf('\n') + 1));
  return Date.parse(row?.[CLICKED_AT] ?? isoTime(0));
}

function keyOf(tombstone: { app_id: string; address_mark: string; sandbox_only: number }): string {
  return `${tombstone.app_id} ${tombstone.address_mark} ${tombstone.sandbox_only}`;
}
