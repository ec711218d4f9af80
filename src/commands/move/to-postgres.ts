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
  findRootSecret,
  moveMarkerFile,
  readMoveMarker,
  writeMoveMarker,
} from '../../lib/data-dir/index.ts';
import { createIds } from '../../lib/ids.ts';
import { createLog } from '../../lib/log.ts';
import { type Progress, showProgress } from '../output.ts';
import { checkTables, type MovedTable } from './check-tables.ts';
import { copyTables } from './copy-tables.ts';
import { listTables, type TableToMove } from './list-tables.ts';
import { lockDataDir, report, rowReporter } from './report.ts';
import { assertEmpty, beginMove, endMove, findMove, holdDatabase, type Move } from './take-target.ts';

const log = createLog('warn', { to: 'stderr' });

/** Moves all data from the SQLite file of `DATA_DIR` to the PostgreSQL of `DATABASE_URL` and compares both. */
export async function moveToPostgres(): Promise<void> {
  const config = readConfig(process.env);
  requireBothDatabases(config);
  const dataDir = lockDataDir(config);
  const target = await openStore(config, migrations, log, () => undefined);
  const progress = showProgress();
  try {
    await holdDatabase(target, () => moveInto(target, { config, dataDir, progress }));
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

async function moveInto(target: Store, task: MoveTask): Promise<void> {
  const { config, progress } = task;
  const [last, note] = [await findMove(target), readMoveMarker(config)];
  // The data that was moved from there is still there.
  const earlier = last?.target === 'sqlite' ? null : last;
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
    const tables = await listTables({ schema: source, source });
    if (earlier === null) await assertEmpty(target, tables);
    const moved = await moveTables(source, { target, tables, isFirst: earlier === null, task });
    progress.end();
    const seconds = (monotonicMs() - startedMs) / 1_000;
    const next = `Now start the service with this DATABASE_URL, this SECRET_KEY and the same DATA_DIR. Once it works, delete throughline.db in ${resolve(config.dataDir)}: erasures do not change the old file.`;
    process.stdout.write(`${report(moved, { seconds, next })}\n`);
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
    names: ['the SQLite file', 'PostgreSQL'],
    onRows: rowReporter('Checked', tables, task.progress),
  });
  // In this order: after a crash in between, neither database can be served until the move is run again.
  writeMoveMarker(task.config, { moveId, movedAt: now() });
  await endMove(target, { moveId, now: now() });
  return moved;
}
