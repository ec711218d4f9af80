import { join } from 'node:path';

/** The shell command that starts a client of this folder. */
export function clientOf(name: string): string {
  return `"${process.execPath}" "${join(import.meta.dirname, name, 'client.ts')}"`;
}
