/**
 * Damaged segments of the journal, kept after their intact batches were applied: evidence of a failing disk or memory. They
 * hold clicks that no erasure can find by their content, so an erasure removes the files.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { damagedNumber } from './journal/index.ts';

const MAX_KEPT_DAYS = 30;
const MAX_KEPT = 16;

export class DamagedSegments {
  readonly #directory: string;

  /** @param directory the journal's. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Their paths, oldest first. An operator may remove them at any time. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#directory);
    return names
      .filter((name) => damagedNumber(name) !== null)
      .sort()
      .map((name) => join(this.#directory, name));
  }

  /** Removes those that are too old or too many, and those with clicks from before an erasure. */
  async tidy(ctx: Ctx): Promise<void> {
    const paths = await this.list();
    if (paths.length === 0) return;
    const keptDays = Math.min(MAX_KEPT_DAYS, ctx.config.clickRetentionDays);
    const oldestMs = Math.max(ctx.clock.nowMs() - keptDays * DAY_MS, await lastErasureMs(ctx));
    for (const [index, path] of paths.entries())
      if (index < paths.length - MAX_KEPT || (await writtenAtMs(path)) <= oldestMs) await remove(ctx, path);
  }

  async removeAll(ctx: Ctx): Promise<void> {
    for (const path of await this.list()) await remove(ctx, path);
  }
}

/** When the last address was erased; 0 where none was. */
async function lastErasureMs({ db }: Ctx): Promise<number> {
  const last = await db
    .selectFrom('erased_addresses')
    .select((eb) => eb.fn.max('erased_until').as('at'))
    .executeTakeFirst();
  return Date.parse(last?.at ?? isoTime(0));
}

async function writtenAtMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    // Removed by an operator.
    () => 0,
  );
}

async function remove({ log }: Ctx, path: string): Promise<void> {
  await rm(path, { force: true });
  log.info({ path }, 'Removed a damaged journal segment, because of its age or an erasure');
}
