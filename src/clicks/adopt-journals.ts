/**
 * Journals whose process does not come back: where there are fewer workers than before, or one process where there were
 * workers, those that start apply with their own journals what the others left.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listWorkerDirs, lockWhenFree } from '../platform/data-dir/index.ts';
import { adoptSegments } from './journal/index.ts';
import { RefusedClicks } from './refused-clicks.ts';

/** The click journal of the process that owns a data directory. */
export function journalDirectory(dataDir: string): string {
  return join(dataDir, 'journal');
}

/**
 * Moves every journal below `dataDir`, which this process holds, that is none of the owners' into theirs. None is open.
 * @param owners the data directories of the processes that start.
 * @throws StartError when somebody still writes one of them.
 */
export async function adoptJournals(dataDir: string, owners: readonly string[]): Promise<void> {
  const workerDirs = listWorkerDirs(dataDir);
  const left = [dataDir, ...workerDirs].filter((directory) => !owners.includes(directory));
  if (workerDirs.length === 0 && left.length === 0) return;
  // A worker whose supervisor was killed may still be about to end.
  const locks = [];
  try {
    for (const directory of workerDirs) locks.push(await lockWhenFree(directory));
    for (const [index, directory] of left.entries())
      await adoptJournal(directory, owners[index % owners.length] ?? dataDir);
    for (const directory of left.filter((directory) => directory !== dataDir))
      await rm(directory, { recursive: true });
  } finally {
    for (const lock of locks) lock.close();
  }
}

async function adoptJournal(fromDataDir: string, intoDataDir: string): Promise<void> {
  const [from, into] = [journalDirectory(fromDataDir), journalDirectory(intoDataDir)];
  await adoptSegments(from, into);
  await new RefusedClicks(into).adopt(new RefusedClicks(from));
}
