import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { openWholeStore } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { databaseFile, openStore, type Store, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { isoTime, monotonicMs, systemClock } from '../../lib/clock.ts';
import {
  type DataDir,
  DataDirInUse,
  findRootSecret,
  moveMarkerFile,
  openDataDir,
  readMoveMarker,
  writeMoveMarker,
} from '../../lib/data-dir/index.ts';
import { createIds } from '../../lib/ids.ts';
import { createLog } from '../../lib/log.ts';
import { type Progress, showProgress } from '../output.ts';
import {
  assertEmpty,
  beginMove,
  checkTables,
  copyTables,
  endMove,
  findMove,
  holdTarget,
  listTables,
  type Move,
  type MovedTable,
  type TableToMove,
} from './tables.ts';

const log = createLog('warn', { to: 'stderr' });

/** Moves all data from the SQLite file of `DATA_DIR` to the PostgreSQL of `DATABASE_URL` and compares both. */
export async function move(): Promise<void> {
  const config = readConfig(process.env);
  requireBothDatabases(config);
  const dataDir = lockDataDir(config);
  const target = await openStore(config, migrations, log, () => undefined);
  const progress = showProgress();
  try {
    await holdTarget(target, () => moveInto(target, { config, dataDir, progress }));
  } catch (error) {
    progress.end();
    throw toStartError(config, error);
  } finally {
    await target.close();
    dataDir.release();
  }
}

interface MoveTask {
  readonly config: Config;
  readonly dataDir: DataDir;
  readonly progress: Progress;
}

function requireBothDatabases(config: Config): void {
  if (config.databaseUrl === null)
    throw new StartError('Set DATABASE_URL to the empty PostgreSQL database to move the data to.');
  if (!existsSync(databaseFile(config)))
    throw new StartError(
      `There is no SQLite file in ${resolve(config.dataDir)}; set DATA_DIR to the folder that holds throughline.db.`,
    );
  const rootSecret = findRootSecret(config);
  if (rootSecret !== null && rootSecret !== config.secretKey)
    throw new StartError(
      `SECRET_KEY is not the secret of the stored data: set it to the content of ${resolve(config.dataDir)}/secret-key.`,
    );
}

function lockDataDir(config: Config): DataDir {
  try {
    return openDataDir(config);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    throw new StartError(
      `${resolve(config.dataDir)} is in use, by the service or by another move. Stop it first, so that nothing is recorded during the move.`,
    );
  }
}

async function moveInto(target: Store, task: MoveTask): Promise<void> {
  const { config, progress } = task;
  const [earlier, note] = [await findMove(target), readMoveMarker(config)];
  if (note !== null) return await finishNotedMove(target, { config, earlier, note });
  if (earlier !== null && earlier.ended_at !== null)
    throw new StartError(
      'The database of DATABASE_URL holds data that was moved there before. Name an empty database.',
    );
  if (earlier !== null) progress.report('An earlier move was interrupted; this one starts over.');

  const startedMs = monotonicMs();
  // Applies the click journal: all acknowledged clicks must be in the tables.
  const source = await openWholeStore({ ...config, databaseUrl: null }, task.dataDir, log);
  try {
    const tables = await listTables(source);
    if (earlier === null) await assertEmpty(target, tables);
    const moved = await moveTables(source, { target, tables, isFirst: earlier === null, task });
    progress.end();
    process.stdout.write(`${report(moved, { config, seconds: (monotonicMs() - startedMs) / 1_000 })}\n`);
  } finally {
    await source.close();
  }
}

/** The note exists only after a passed check, and no service has started on either database since. */
async function finishNotedMove(
  target: Store,
  {
    config,
    earlier,
    note,
  }: { config: Config; earlier: Move | null; note: { moveId: string; movedAt: string } },
): Promise<void> {
  if (earlier?.move_id !== note.moveId)
    throw new StartError(
      `The data in ${resolve(config.dataDir)} was moved to another database at ${note.movedAt}. To move the old file again, delete ${moveMarkerFile(config)}.`,
    );
  const { moveId } = note;
  if (earlier.ended_at === null) await endMove(target, { moveId, now: isoTime(systemClock.nowMs()) });
  process.stdout.write(`Nothing to move: the data was moved at ${note.movedAt}.\n`);
}

async function moveTables(
  source: Store,
  {
    target,
    tables,
    isFirst,
    task,
  }: { target: Store; tables: readonly TableToMove[]; isFirst: boolean; task: MoveTask },
): Promise<MovedTable[]> {
  const now = () => isoTime(systemClock.nowMs());
  const moveId = createIds(systemClock).next();
  await target.migrate();
  await beginMove(target, { moveId, now: now(), tables, isFirst });
  await copyTables(source, target, { tables, onRows: rowReporter('Copied', tables, task.progress) });
  const moved = await checkTables(source, target, {
    tables,
    onRows: rowReporter('Checked', tables, task.progress),
  });
  // In this order: after a crash in between, neither database can be served until the move is run again.
  writeMoveMarker(task.config, { moveId, movedAt: now() });
  await endMove(target, { moveId, now: now() });
  return moved;
}

/** Such as “Copied 120,000 of 300,000 rows: clicks, table 7 of 24”. */
function rowReporter(done: string, tables: readonly TableToMove[], progress: Progress) {
  const all = tables.reduce((sum, { rows }) => sum + rows, 0);
  return (table: TableToMove, rows: number) => {
    const index = tables.indexOf(table);
    const before = tables.slice(0, index).reduce((sum, other) => sum + other.rows, 0);
    progress.report(
      `${done} ${count(before + rows)} of ${count(all)} rows: ${table.name}, table ${index + 1} of ${tables.length}`,
    );
  };
}

function report(
  moved: readonly MovedTable[],
  { config, seconds }: { config: Config; seconds: number },
): string {
  const rows = moved.reduce((sum, table) => sum + table.rows, 0);
  const filled = moved.filter((table) => table.rows > 0);
  const lines = filled.map(
    ({ name, rows, sha256 }) => `${name.padEnd(27)} ${count(rows).padStart(13)}  ${sha256}`,
  );
  return `Moved ${count(rows)} rows in ${seconds.toFixed(1)} s. All tables have the same rows in both databases. Row counts and the SHA-256 of all values:

${lines.join('\n')}

Tables without rows: ${moved.length - filled.length}. Now start the service with this DATABASE_URL, this SECRET_KEY and the same DATA_DIR. Once it works, delete throughline.db in ${resolve(config.dataDir)}: erasures do not change the old file.`;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
