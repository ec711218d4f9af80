import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { openWholeStore } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { databaseFile, openStore, type Store, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { isoTime, monotonicMs, systemClock } from '../../lib/clock.ts';
import { DATABASE_FILE, type DataDir, moveMarkerFile } from '../../lib/data-dir/index.ts';
import { syncPath } from '../../lib/files.ts';
import { createIds } from '../../lib/ids.ts';
import { createLog } from '../../lib/log.ts';
import { type Progress, showProgress } from '../output.ts';
import { checkTables, type MovedTable } from './check-tables.ts';
import { copyTables } from './copy-tables.ts';
import { assertStopped, beginLeaving, endLeaving, stay } from './leave-source.ts';
import { listTables } from './list-tables.ts';
import { lockDataDir, report, rowReporter } from './report.ts';
import { findMove, holdDatabase, type Move } from './take-target.ts';

const log = createLog('warn', { to: 'stderr' });

interface MoveTask {
  readonly config: Config;
  readonly dataDir: DataDir;
  readonly progress: Progress;
}

/** Moves all data from the PostgreSQL of `DATABASE_URL` to a new SQLite file in `DATA_DIR` and compares both. */
export async function moveToSqlite(): Promise<void> {
  const config = readConfig(process.env);
  if (config.databaseUrl === null)
    throw new StartError('Set DATABASE_URL to the PostgreSQL database whose data is to be moved.');
  const dataDir = lockDataDir(config);
  const database = await openStore(config, migrations, log, () => undefined);
  const progress = showProgress();
  try {
    await holdDatabase(database, () => moveFrom(database, { config, dataDir, progress }));
  } catch (error) {
    progress.end();
    throw toStartError(config, error);
  } finally {
    await database.close();
    dataDir.release();
  }
}

async function moveFrom(database: Store, task: MoveTask): Promise<void> {
  const { config, progress } = task;
  const earlier = await findMove(database);
  const isLeaving = earlier?.target === 'sqlite';
  if (isLeaving && (await isInFile(config, earlier))) {
    await endLeaving(database, now());
    process.stdout.write(`Nothing to move: the data is in ${databaseFile(config)}.\n`);
    return;
  }
  if (isLeaving && earlier.ended_at !== null)
    throw new StartError(
      `The data of the database of DATABASE_URL was moved to another DATA_DIR at ${earlier.ended_at}. To move it again, run “delete from moves” in the database.`,
    );
  assertNoFile(config);
  await assertStopped(database);
  if (isLeaving) {
    progress.report('An earlier move was interrupted; this one starts over.');
    await stay(database, null);
  }

  const startedMs = monotonicMs();
  // Applies the click journal: all acknowledged clicks must be in the tables.
  const source = await openWholeStore(config, task.dataDir, log);
  try {
    const moved = await moveTables(source, { database, earlier: isLeaving ? null : earlier, task });
    progress.end();
    const seconds = (monotonicMs() - startedMs) / 1_000;
    const next =
      'Now start the service without DATABASE_URL, with this SECRET_KEY and the same DATA_DIR. Once it works, delete the PostgreSQL database: erasures do not change it.';
    process.stdout.write(`${report(moved, { seconds, next })}\n`);
  } finally {
    await source.close();
  }
}

async function moveTables(
  source: Store,
  { database, earlier, task }: { database: Store; earlier: Move | null; task: MoveTask },
): Promise<MovedTable[]> {
  const { config, progress } = task;
  const draft: Draft = { databaseUrl: null, dataDir: join(resolve(config.dataDir), 'moving') };
  rmSync(draft.dataDir, { recursive: true, force: true });
  const moveId = createIds(systemClock).next();
  await beginLeaving(source, { moveId, now: now() });
  try {
    // One may have started before the mark.
    await assertStopped(database);
    const moved = await fillFile(source, { draft, moveId, progress });
    rmSync(moveMarkerFile(config), { force: true });
    renameSync(databaseFile(draft), databaseFile(config));
    syncPath(resolve(config.dataDir));
    await endLeaving(database, now());
    return moved;
  } catch (error) {
    if (!existsSync(databaseFile(config))) await stay(database, earlier);
    throw error;
  } finally {
    rmSync(draft.dataDir, { recursive: true, force: true });
  }
}

type Draft = Pick<Config, 'dataDir'> & { readonly databaseUrl: null };

async function fillFile(
  source: Store,
  { draft, moveId, progress }: { draft: Draft; moveId: string; progress: Progress },
): Promise<MovedTable[]> {
  const target = await openStore(draft, migrations, log, () => undefined);
  try {
    await target.migrate();
    const tables = await listTables({ schema: target, source });
    await copyTables(source, target, { tables, onRows: rowReporter('Copied', tables, progress) });
    const moved = await checkTables(source, target, {
      tables,
      names: ['PostgreSQL', 'the SQLite file'],
      onRows: rowReporter('Checked', tables, progress),
    });
    // So that a later run knows the file.
    await beginLeaving(target, { moveId, now: now() });
    return moved;
  } finally {
    // Empties the write-ahead log into the file.
    await target.close();
  }
}

/** Whether the file in `DATA_DIR` is the one that the move made. */
async function isInFile(config: Config, { move_id }: Move): Promise<boolean> {
  if (!existsSync(databaseFile(config))) return false;
  const file = await openStore({ ...config, databaseUrl: null }, migrations, log, () => undefined);
  try {
    return (await findMove(file))?.move_id === move_id;
  } finally {
    await file.close();
  }
}

function assertNoFile({ dataDir }: Config): void {
  const [file] = readdirSync(dataDir).filter((name) => name.startsWith(DATABASE_FILE));
  if (file !== undefined)
    throw new StartError(
      `${join(resolve(dataDir), file)} exists already. Move all files ${DATABASE_FILE}* to another folder, then run “throughline db move --to-sqlite” again.`,
    );
}

function now(): string {
  return isoTime(systemClock.nowMs());
}
