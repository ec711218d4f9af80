import { existsSync } from 'node:fs';
import { journalDirectory, listJournalIds } from '../../click-log/index.ts';
import type { Config } from '../../config.ts';
import { databaseFile } from '../../db/index.ts';
import { countMissing, countSince } from '../../db/sqlite/read-file.ts';

/** What people look for, and the time of each row. */
const TABLES = [
  ['clicks', 'clicked_at'],
  ['installs', 'installed_at'],
  ['opens', 'opened_at'],
  ['events', 'created_at'],
  ['links', 'created_at'],
  ['apps', 'created_at'],
  ['users', 'created_at'],
  ['webhooks', 'created_at'],
  ['erasure_requests', 'requested_at'],
] as const;

/** How many rows of each table came since a time; clicks also from the journal. Tables without any are left out. */
export function countLost(
  config: Pick<Config, 'dataDir'>,
  copy: { readonly path: string; readonly at: string },
): ReadonlyMap<string, number> {
  const path = databaseFile(config);
  const lost = new Map<string, number>();
  for (const [table, column] of TABLES) {
    const rows = countSince(path, { table, column, since: copy.at }) ?? 0;
    const count = rows + (table === 'clicks' ? countWaiting(config, copy.path) : 0);
    if (count > 0) lost.set(table.replace('_requests', 's'), count);
  }
  return lost;
}

/** Clicks that the journal has, and neither the database nor the journal of the copy. */
function countWaiting(config: Pick<Config, 'dataDir'>, copy: string): number {
  const kept = new Set(idsIn(copy));
  const ids = idsIn(config.dataDir).filter((id) => !kept.has(id));
  return countMissing(databaseFile(config), 'clicks', ids);
}

function idsIn(dataDir: string): string[] {
  const directory = journalDirectory(dataDir);
  return existsSync(directory) ? [...listJournalIds(directory)] : [];
}
