/**
 * Damaged segments of the journal, kept as evidence of a failing disk or memory after their intact batches were applied.
 * An erasure cannot find clicks in them, so it removes the files.
 */

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { segmentFile } from './journal/index.ts';

const MAX_KEPT_DAYS = 30;
const MAX_KEPT = 16;

export type TidyDeps = Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>;

export class DamagedSegments {
  readonly #directory: string;

  /** @param directory the journal's. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Paths, oldest first. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#directory);
    return names
      .filter((name) => segmentFile(name)?.isDamaged === true)
      .sort()
      .map((name) => join(this.#directory, name));
  }

  /** Removes old files, all but the newest `MAX_KEPT`, and files from before the last erasure. */
  async tidy({ db, clock, config, log }: TidyDeps): Promise<void> {
    const paths = await this.list();
    if (paths.length === 0) return;
    const keptDays = Math.min(MAX_KEPT_DAYS, config.clickRetentionDays);
    const oldestMs = Math.max(clock.nowMs() - keptDays * DAY_MS, await lastErasureMs(db));
    for (const [index, path] of paths.entries())
      if (index < paths.length - MAX_KEPT || (await writtenAtMs(path)) <= oldestMs)
        await remove({ log }, path);
  }

  async removeAll({ log }: Pick<Foundation, 'log'>): Promise<void> {
    for (const path of await this.list()) await remove({ log }, path);
  }
}

/** @returns 0 if no address was erased. */
async function lastErasureMs(db: Db): Promise<number> {
  const last = await db
    .selectFrom('erased_addresses')
    .select((eb) => eb.fn.max('erased_until').as('at'))
    .executeTakeFirst();
  return Date.parse(last?.at ?? isoTime(0));
}

async function writtenAtMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    // An operator removed the file.
    () => 0,
  );
}

async function remove({ log }: Pick<Foundation, 'log'>, path: string): Promise<void> {
  await rm(path, { force: true });
  log.info({ path }, 'Removed a damaged journal segment because of its age or an erasure');
}
