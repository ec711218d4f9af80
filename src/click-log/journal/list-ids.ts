import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, readRow } from '../../db/index.ts';
import { decodeBatches, segmentFile } from './segment.ts';

/** `app/click` of the intact rows of a stopped process's journal; each row begins with both, in every version. */
export function* listJournalIds(directory: string): Generator<string> {
  for (const name of readdirSync(directory)) {
    if (segmentFile(name) === null) continue;
    for (const batch of decodeBatches(readFileSync(join(directory, name)), 'may be cut').batches)
      for (const line of linesOf(batch.toString())) yield readRow(line).slice(0, 2).join('/');
  }
}
