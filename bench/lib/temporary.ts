import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is deleted when this process exits. */
export function temporaryDirectory(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `throughline-bench-${name}-`));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Kills a child process when this process exits. */
export function killOnExit(child: ChildProcess): void {
  process.once('exit', () => child.kill('SIGKILL'));
}
