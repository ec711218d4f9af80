import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that goes with the process, also when it is interrupted. */
export function temporaryDirectory(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `throughline-bench-${name}-`));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Ends a child process at once when this one ends without having stopped it. */
export function endWithUs(child: ChildProcess): ChildProcess {
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}
