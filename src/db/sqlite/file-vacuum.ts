/**
 * Rewrites the SQLite file by `vacuum`, which leaves neither free pages nor remains of earlier rows: `secure_delete`
 * overwrites deleted cells, but where SQLite splits or joins pages, copies of moved cells stay in the pages' unallocated
 * space. Reads go on meanwhile; writes wait.
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, monotonicMs } from '../../lib/clock.ts';
import { freeBeyondReserve } from '../../lib/free-space.ts';
import type { Log } from '../../lib/log.ts';
import type { Heartbeat } from '../../lib/loop.ts';
import { emptyWal, withWriter } from './with-writer.ts';
import type { SqliteWriter, WriterSession } from './writer.ts';

const MIB = 1024 * 1024;
/** Larger files are rewritten once a day only; ADR 7 has the times. */
const MAX_BYTES_AT_ONCE = 128 * MIB;
/** Between rewrites, in times of the last one's duration, so that writes wait a fifth of the time at most. */
const PAUSE_FACTOR = 4;
/** Callers complete in time even if a rewrite takes long. */
const MAX_PAUSE_MS = MINUTE_MS;
const PAUSE_STEP_MS = 200;
/** More free space than this share of the file, and than these bytes, is returned to the file system. */
const FREE_SHARE = 0.2;
const MIN_FREE_BYTES = 8 * MIB;
/** A temporary copy of the rows, and the write-ahead log. */
const COPIES_ON_DISK = 2;

interface FileState {
  readonly bytes: number;
  readonly freeBytes: number;
  /** Whether the file may hold remains of erased rows. */
  readonly isDue: boolean;
}

export class FileVacuum {
  readonly #writer: SqliteWriter;
  readonly #path: string;
  readonly #log: Log;
  readonly #maxBytesAtOnce: number;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(
    writer: SqliteWriter,
    { path, log, maxBytesAtOnce = MAX_BYTES_AT_ONCE }: { path: string; log: Log; maxBytesAtOnce?: number },
  ) {
    this.#writer = writer;
    this.#path = path;
    this.#log = log;
    this.#maxBytesAtOnce = maxBytesAtOnce;
  }

  /** Removes remains of erased rows from the file and its write-ahead log; those in a large file at the next `runIfDue`. */
  async scrub(goOn: Heartbeat): Promise<void> {
    const { bytes, freeBytes } = await this.#state();
    const isQuick = bytes - freeBytes <= this.#maxBytesAtOnce;
    if (isQuick && (await this.#hasRoom(bytes - freeBytes))) await this.#run(goOn);
    else await withWriter(this.#writer, (session) => markDue(session, true));
    await emptyWal(this.#writer, goOn);
  }

  /** Rewrites a file of any size if it has remains of erased rows or much free space. */
  async runIfDue(goOn: Heartbeat): Promise<void> {
    const { bytes, freeBytes, isDue } = await this.#state();
    const isLoose = freeBytes > Math.max(bytes * FREE_SHARE, MIN_FREE_BYTES);
    if (!(isDue || isLoose) || !(await this.#hasRoom(bytes - freeBytes))) return;
    await this.#run(goOn);
    await emptyWal(this.#writer, goOn);
  }

  async #state(): Promise<FileState> {
    return await withWriter(this.#writer, async (session) => {
      const pageBytes = await readPragma(session, 'page_size');
      return {
        bytes: pageBytes * (await readPragma(session, 'page_count')),
        freeBytes: pageBytes * (await readPragma(session, 'freelist_count')),
        isDue: (await readPragma(session, 'user_version')) === DUE,
      };
    });
  }

  async #hasRoom(usedBytes: number): Promise<boolean> {
    const hasRoom = (await freeBeyondReserve(dirname(this.#path))) >= COPIES_ON_DISK * usedBytes;
    if (!hasRoom)
      this.#log.warn(
        { neededBytes: COPIES_ON_DISK * usedBytes },
        'Too little free disk space to rewrite the SQLite file; it is tried again at VACUUM_HOUR_UTC. Free space on the disk of DATA_DIR',
      );
    return hasRoom;
  }

  /** Begins with an empty log, which would otherwise grow by the whole file behind another program's read transaction. */
  async #run(goOn: Heartbeat): Promise<void> {
    do await goOn();
    while (await this.#pause());
    await emptyWal(this.#writer, goOn);
    await withWriter(this.#writer, async (session) => {
      const startMs = monotonicMs();
      try {
        await vacuum(session, dirname(this.#path));
        await markDue(session, false);
      } finally {
        const durationMs = monotonicMs() - startMs;
        this.#notBeforeMs = monotonicMs() + Math.min(PAUSE_FACTOR * durationMs, MAX_PAUSE_MS);
        this.#log.info({ durationMs: Math.round(durationMs) }, 'Rewrote the SQLite file');
      }
    });
  }

  /** @returns false once the pause since the last rewrite is over. */
  async #pause(): Promise<boolean> {
    const leftMs = this.#notBeforeMs - monotonicMs();
    if (leftMs <= 0) return false;
    await sleep(Math.min(leftMs, PAUSE_STEP_MS));
    return true;
  }
}

/** SQLite's temporary files are by default on another file system, which may be small. They have no name there. */
async function vacuum(session: WriterSession, directory: string): Promise<void> {
  await session.run(`pragma temp_store_directory = '${directory.replaceAll("'", "''")}'`, []);
  // Files of earlier versions have incremental vacuum; takes effect with the `vacuum`.
  await session.run('pragma auto_vacuum = none', []);
  await session.run('vacuum', []);
}

/** The file's `user_version`, which SQLite leaves to the application, remembers beyond a restart that a rewrite is due. */
const DUE = 1;
const NOT_DUE = 0;

async function markDue(session: WriterSession, isDue: boolean): Promise<void> {
  const version = isDue ? DUE : NOT_DUE;
  if ((await readPragma(session, 'user_version')) !== version)
    await session.run(`pragma user_version = ${version}`, []);
}

async function readPragma(
  session: WriterSession,
  pragma: 'page_size' | 'page_count' | 'freelist_count' | 'user_version',
): Promise<number> {
  const { rows } = await session.run(`pragma ${pragma}`, []);
  return Number((rows[0] as Record<string, unknown>)[pragma]);
}
