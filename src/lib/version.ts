import { readFileSync } from 'node:fs';
import { programFile } from './program-folder.ts';

/** From package.json. */
export const VERSION = readVersion();

function readVersion(): string {
  const text = readFileSync(programFile('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
