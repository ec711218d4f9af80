import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { type DataDir, DataDirInUse, openDataDir } from '../../lib/data-dir/index.ts';
import type { Progress } from '../output.ts';
import type { MovedTable } from './check-tables.ts';
import type { OnRows } from './copy-tables.ts';
import type { TableToMove } from './list-tables.ts';

/** @throws StartError while the service or another command holds it. */
export function lockDataDir(config: Config): DataDir {
  try {
    return openDataDir(config);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    throw new StartError(
      `${resolve(config.dataDir)} is in use, by the service or by another move. Stop it first, so that nothing is recorded during the move.`,
    );
  }
}

/** Such as “Copied 120,000 of 300,000 rows: clicks, table 7 of 24”. */
export function rowReporter(done: string, tables: readonly TableToMove[], progress: Progress): OnRows {
  const all = tables.reduce((sum, { rows }) => sum + rows, 0);
  return (table, rows) => {
    const index = tables.indexOf(table);
    const before = tables.slice(0, index).reduce((sum, other) => sum + other.rows, 0);
    progress.report(
      `${done} ${count(before + rows)} of ${count(all)} rows: ${table.name}, table ${index + 1} of ${tables.length}`,
    );
  };
}

/** @param next what the operator does now. */
export function report(
  moved: readonly MovedTable[],
  { seconds, next }: { seconds: number; next: string },
): string {
  const rows = moved.reduce((sum, table) => sum + table.rows, 0);
  const filled = moved.filter((table) => table.rows > 0);
  const lines = filled.map(
    ({ name, rows, sha256 }) => `${name.padEnd(27)} ${count(rows).padStart(13)}  ${sha256}`,
  );
  return `Moved ${count(rows)} rows in ${seconds.toFixed(1)} s. All tables have the same rows in both databases. Row counts and the SHA-256 of all values:

${lines.join('\n')}

Tables without rows: ${moved.length - filled.length}. ${next}`;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
