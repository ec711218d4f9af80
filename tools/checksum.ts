import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Writes `FILE.sha256` as sha256sum does, which checks it beside the file. @returns the hash. */
export function writeChecksum(file: string): string {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(`${file}.sha256`, `${sha256}  ${basename(file)}\n`);
  return sha256;
}
