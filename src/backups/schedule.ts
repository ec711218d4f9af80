import { renameSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { databaseFile } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { readLastBackup, writeLastBackup } from '../lib/data-dir/index.ts';
import { makeDirectory, syncPath, writeFault } from '../lib/files.ts';
import { readSpace } from '../lib/free-space.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { VERSION } from '../lib/version.ts';
import { assertOutside, type RowCounts } from './copy-data.ts';
import { lastDueMs, listMade, makeDraft, removeDrafts, tooOld, writeNote } from './folder.ts';

type Deps = Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>;

/** Backups by the settings `BACKUP_…`. */
export interface Backups extends Loop {
  /** Why the last attempt failed; null if it succeeded, or there was none. */
  failure(): { readonly sinceMs: number; readonly reason: string } | null;
}

const LOOK_EVERY_MS = 30 * SECOND_MS;
const STOP_MS = 2 * SECOND_MS;
const RETRY_MS = 15 * MINUTE_MS;

const NONE: Backups = { failure: () => null, stop: async () => undefined };

/**
 * Makes a verified copy of the data directory once a day, at the start if the last one was missed, and removes its own that
 * are too old once there is a newer one.
 * @throws StartError for a folder in `DATA_DIR`.
 */
export function startBackups(deps: Deps): Backups {
  const { clock, config, log } = deps;
  const { backup } = config;
  if (backup === null) return NONE;
  const folder = resolve(backup.dir);
  assertOutside(folder, resolve(config.dataDir));
  const plan = { ...backup, folder };
  let failure: ReturnType<Backups['failure']> = null;
  let retryAtMs = 0;
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs < retryAtMs) return;
    try {
      const made = await makeIfDue(deps, plan, stopping.signal);
      if (made !== null) log.info({ folder: made }, 'Made and checked a backup');
      failure = null;
      retryAtMs = 0;
    } catch (error) {
      if (stopping.signal.aborted) return;
      const reason = writeFault(error);
      failure = { sinceMs: failure?.sinceMs ?? nowMs, reason };
      retryAtMs = nowMs + RETRY_MS;
      log.error(
        { folder, reason },
        'Failed to make a backup: the earlier ones are kept, and it is tried again in 15 minutes',
      );
    }
  }

  const loop = startLoop('backups', LOOK_EVERY_MS, log, look, SECOND_MS);
  return {
    failure: () => failure,
    async stop() {
      stopping.abort();
      // SQLite does not end its statement; what it leaves is removed before the next copy.
      await Promise.race([loop.stop(), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

interface Plan {
  readonly folder: string;
  readonly atMinutes: number;
  readonly keepDays: number;
}

/** Null if none is due. @throws if the folder cannot be written or is too small, or the copy is not whole. */
export async function makeIfDue(
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
  { folder, atMinutes, keepDays }: Plan,
  signal: AbortSignal,
): Promise<string | null> {
  const nowMs = clock.nowMs();
  const first = await db.selectFrom('bootstraps').select('app_id').executeTakeFirst();
  // Nothing is stored yet.
  if (first === undefined) return null;
  const database = first.app_id;
  // Those of a clock that was ahead say nothing of today: neither that one was made nor that one is due at each look.
  const earlier = listMade(folder, database);
  // Who moves backups elsewhere leaves an empty folder.
  const times = earlier.length > 0 ? earlier.map(({ atMs }) => atMs) : await timeOfMoved(config, folder);
  const newestMs = times.find((atMs) => atMs <= nowMs + HOUR_MS);
  if (newestMs !== undefined && newestMs >= lastDueMs(nowMs, atMinutes)) return null;

  makeDirectory(folder);
  removeDrafts(folder, database);
  await assertRoom(config.dataDir, folder);
  const { path, draft } = makeDraft(folder, nowMs);
  const note = { database, at: isoTime(nowMs), version: VERSION };
  try {
    writeNote(draft, { ...note, rows: null });
    const rows = await copyInThread({ draft, dataDir: resolve(config.dataDir) }, signal);
    writeNote(draft, { ...note, rows });
    renameSync(draft, path);
    syncPath(dirname(path));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  const scheduled = { at: note.at, into: folder, disk: await diskOf(folder) };
  await writeLastBackup(config, { at: isoTime(clock.nowMs()), folder: path, scheduled });
  for (const old of tooOld(listMade(folder, database), nowMs, keepDays))
    rmSync(old.path, { recursive: true, force: true });
  return path;
}

/**
 * When the last backup was made in a folder that has none.
 * @throws where it was made on another disk: that one is probably not mounted.
 */
async function timeOfMoved(config: Deps['config'], folder: string): Promise<number[]> {
  const { scheduled } = (await readLastBackup(config)) ?? {};
  if (scheduled?.into !== folder) return [];
  if (scheduled.disk !== (await diskOf(folder)))
    throw new Error(
      `${folder} has none of the backups that were made there: is its disk mounted? If they were removed on purpose, delete last-backup.json in DATA_DIR.`,
    );
  return [Date.parse(scheduled.at)];
}

/** The number of its device; undefined if there is no such folder. */
async function diskOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(() => undefined))?.dev;
}

/** A copy has no free pages, and may be smaller. */
async function assertRoom(dataDir: string, folder: string): Promise<void> {
  const [{ freeBytes }, { size }] = await Promise.all([readSpace(folder), stat(databaseFile({ dataDir }))]);
  if (freeBytes < size)
    throw new Error(
      `${folder} has ${mib(freeBytes)} MB free, and the database has ${mib(size)} MB. Free space there.`,
    );
}

function mib(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024));
}

async function copyInThread(
  workerData: { draft: string; dataDir: string },
  signal: AbortSignal,
): Promise<RowCounts> {
  signal.throwIfAborted();
  const thread = new Worker(new URL('copy-thread.ts', import.meta.url), { workerData });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((settle, reject) => {
      thread.once('message', settle);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('The copy was interrupted')));
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
