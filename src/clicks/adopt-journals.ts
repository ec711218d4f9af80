/**
 * Journals whose process does not come back: where there are fewer workers than before, or one process where there were
 * workers, those that start apply with their own journals what the others left.
 */
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listWorkerDirs, lockWhenFree } from '../platform/data-dir.ts';
import { refusedFile } from './apply-journal.ts';
import { adoptSegments } from './journal/index.ts';

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
  const refused = await readFile(refusedFile(from), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (refused === '') return;
  await mkdir(into, { recursive: true, mode: 0o700 });
  // A crash may have cut either file's last line: it stays a line of its own.
  await appendFile(refusedFile(into), `\n${refused}\n`, { mode: 0o600, flush: true });
  await rm(refusedFile(from));
}
