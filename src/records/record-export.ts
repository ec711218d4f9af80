import { type Change, recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { toFlag } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import type { RecordTable } from './queries.ts';
import type { Streamed } from './send-export.ts';

/** An export is whole, whatever these say. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'order', 'before', 'after']);

/** Values that are nobody's personal data. */
const SAID: ReadonlySet<string> = new Set([
  ...['campaignId', 'shortCode', 'country', 'platform', 'method', 'from', 'to', 'erasedSince', 'sandbox'],
  ...['platformVersion', 'appVersion', 'hasRevenue', 'existingUser', 'visitor'],
  ...['network', 'networkCampaign'],
]);

/** Records in the audit log who took records away, and which filters narrowed them: some by name alone, as a value may be a person's. */
export async function recordExport(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, table, format, input }: { actor: Actor; table: RecordTable; format: Streamed; input: object },
): Promise<void> {
  const filters = Object.fromEntries(Object.entries(input).filter(([name]) => SAID.has(name)));
  const about = { records: table, format: format === 'text/csv' ? 'csv' : 'ndjson', filters };
  const change: Change = {
    ...{ appId: actor.appId, by: authorOf(actor), about },
    action: 'records.exported',
    ...{
      sandbox: toFlag(actor.mode === 'test'),
      fields: Object.keys(input)
        .filter((name) => !PAGING.has(name))
        .sort(),
    },
  };
  await db.transaction().execute((tx) => recordChange(tx, { clock, ids }, change));
}
