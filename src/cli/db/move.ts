import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { openWholeStore } from '../../app.ts';
import { isoTime, monotonicMs, systemClock } from '../../platform/clock.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import {
  type DataDir,
  DataDirTaken,
  findMoveNote,
  findRootSecret,
  leaveMoveNote,
  moveNoteFile,
  takeDataDir,
} from '../../platform/data-dir/index.ts';
import { databaseFile, databaseRefused, openStore, type Store } from '../../platform/db/index.ts';
import {
  beginMove,
  checkTables,
  copyTables,
  endMove,
  findMove,
  holdTarget,
  listTables,
  type Move,
  type MovedTable,
  refuseUnlessEmpty,
  type TableToMove,
} from '../../platform/db/move/index.ts';
import { StartError } from '../../platform/errors.ts';
import { createIds } from '../../platform/ids.ts';
import { createLog } from '../../platform/log.ts';
import { type Progress, showProgress } from '../progress.ts';

const log = createLog('warn', 'stderr');

/** Moves everything from the SQLite file of `DATA_DIR` to the PostgreSQL of `DATABASE_URL`, and checks it there. */
export async function move(): Promise<void> {
  const config = readConfig(process.env);
  refuseWithoutBoth(config);
  const dataDir = holdStopped(config);
  const target = await openStore(config, migrations, log, () => undefined);
  const progress = showProgress();
  try {
    await holdTarget(target, () => moveInto(target, { config, dataDir, progress }));
  } catch (error) {
    progress.end();
    throw databaseRefused(config, error);
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

function refuseWithoutBoth(config: Config): void {
  if (config.databaseUrl === null)
    throw new StartError(
      'Set DATABASE_URL to the empty PostgreSQL database that the data is to be moved to.',
    );
  if (!existsSync(databaseFile(config)))
    throw new StartError(
      `There is no SQLite file in ${resolve(config.dataDir)}; set DATA_DIR to the folder that holds throughline.db.`,
    );
  const rootSecret = findRootSecret(config);
  if (rootSecret !== null && rootSecret !== config.secretKey)
    throw new StartError(
      `SECRET_KEY is not the secret under which the data was stored: set it to what is in ${resolve(config.dataDir)}/secret-key.`,
    );
}

function holdStopped(config: Config): DataDir {
  try {
    return takeDataDir(config);
  } catch (error) {
    if (!(error instanceof DataDirTaken)) throw error;
    throw new StartError(
      `${resolve(config.dataDir)} is in use, by the service or by another move. Stop that first, so that nothing is recorded while its data is moved.`,
    );
  }
}

async function moveInto(target: Store, task: MoveTask): Promise<void> {
  const { config, progress } = task;
  const [earlier, note] = [await findMove(target), findMoveNote(config)];
  if (note !== null) return await endAsNoted(target, { config, earlier, note });
  if (earlier !== null && earlier.ended_at !== null)
    throw new StartError(
      'The database of DATABASE_URL holds data that was moved there before. Name an empty database.',
    );
  if (earlier !== null) progress.say('An earlier move was cut short; this one starts over.');

  const startedMs = monotonicMs();
  // The source alone: every click that was acknowledged is to be in the tables.
  const source = await openWholeStore({ ...config, databaseUrl: null }, task.dataDir, log);
  try {
    const tables = await listTables(source);
    if (earlier === null) await refuseUnlessEmpty(target, tables);
    const moved = await moveTables(source, { target, tables, isFirst: earlier === null, task });
    progress.end();
    process.stdout.write(`${report(moved, { config, seconds: (monotonicMs() - startedMs) / 1_000 })}\n`);
  } finally {
    await source.close();
  }
}

/** The note is written once the check has passed, and nobody has served from either side since. */
async function endAsNoted(
  target: Store,
  {
    config,
    earlier,
    note,
  }: { config: Config; earlier: Move | null; note: { moveId: string; movedAt: string } },
): Promise<void> {
  if (earlier?.move_id !== note.moveId)
    throw new StartError(
      `The data in ${resolve(config.dataDir)} was moved to another database at ${note.movedAt}. To move the file as it was then once more, delete ${moveNoteFile(config)}.`,
    );
  const { moveId } = note;
  if (earlier.ended_at === null) await endMove(target, { moveId, now: isoTime(systemClock.nowMs()) });
  process.stdout.write(`Nothing to move: that was done at ${note.movedAt}.\n`);
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
  await copyTables(source, target, { tables, onRows: sayRows('Copied', tables, task.progress) });
  const moved = await checkTables(source, target, {
    tables,
    onRows: sayRows('Checked', tables, task.progress),
  });
  // In this order: were it cut between the two, nobody could serve from either side until it is run again.
  leaveMoveNote(task.config, { moveId, movedAt: now() });
  await endMove(target, { moveId, now: now() });
  return moved;
}

/** Such as “Copied 120,000 of 300,000 rows: clicks, table 7 of 24”. */
function sayRows(done: string, tables: readonly TableToMove[], progress: Progress) {
  const all = tables.reduce((sum, { rows }) => sum + rows, 0);
  return (table: TableToMove, rows: number) => {
    const index = tables.indexOf(table);
    const before = tables.slice(0, index).reduce((sum, other) => sum + other.rows, 0);
    progress.say(
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
  return `Moved ${count(rows)} rows in ${seconds.toFixed(1)} s. Read back from both sides, every table has the same rows: their counts, and the SHA-256 of all their values, are

${lines.join('\n')}

Tables without rows: ${moved.length - filled.length}. Now start the service with this DATABASE_URL, this SECRET_KEY and the same DATA_DIR. Once you have seen it work, delete throughline.db in ${resolve(config.dataDir)}: erasures do not reach the old file.`;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
