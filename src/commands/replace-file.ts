import { type BigIntStats, rmSync } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';

/**
 * Writes a temporary file and renames it, so that a run that fails, or that a signal ends, leaves the old output or none.
 * Pipes are written directly.
 */
export async function replaceFile<T>(output: string, write: (path: string) => Promise<T>): Promise<T> {
  const existing = await statOrNull(output);
  if (existing !== null && !existing.isFile()) return await write(output);
  const path = existing === null ? output : await realpath(output);
  const temporary = `${path}.${process.pid}.partial`;
  const keepOnSignal = removeOnSignal(temporary);
  try {
    const result = await write(temporary);
    await rename(temporary, path);
    return result;
  } finally {
    // In a folder that this user may not enter it fails, and the error of `write` says so.
    await rm(temporary, { force: true }).catch(() => undefined);
    keepOnSignal();
  }
}

/** Follows symbolic links; null if the file does not exist. */
export async function statOrNull(path: string): Promise<BigIntStats | null> {
  return await stat(path, { bigint: true }).catch(() => null);
}

/** @returns a function that ends this. */
function removeOnSignal(path: string): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const remove = (signal: NodeJS.Signals) => {
    rmSync(path, { force: true });
    stop();
    // Ends the process, without this handler.
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of signals) process.off(signal, remove);
  };
  for (const signal of signals) process.on(signal, remove);
  return stop;
}
