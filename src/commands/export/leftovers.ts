import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../../lib/clock.ts';

/** `part-0.parquet.draft` and `part-0.parquet.draft.PROCESS.partial`. */
const DRAFT = /\.parquet\.draft(?:\.\d+\.partial)?$/;
/** One that is being written changes all the time. */
const UNTOUCHED_FOR_MS = HOUR_MS;

/** Removes what killed exports left: an erasure would not reach the people in it. */
export async function removeLeftovers(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!DRAFT.test(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => null);
    if (found !== null && nowMs - found.mtimeMs > UNTOUCHED_FOR_MS) await rm(file, { force: true });
  }
}
