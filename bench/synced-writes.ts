/**
 * A process that writes a few bytes to the disk at a steady pace, each of them there before the next: the least of what
 * a tap waits for. Run beside a service, it tells the disk's own pauses from the service's.
 */
import { write } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { percentile } from './markdown.ts';
import { openSyncedFile } from './synced-file.ts';

/** Since it was last asked. */
export interface SyncedWrites {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

const EVERY_MS = 20;
/** About the row of one click. */
const LINE = Buffer.alloc(400, 'x');
const FILE_BYTES = 4 * 1024 * 1024;

let tookMs: number[] = [];

process.on('message', () => {
  const result: SyncedWrites = {
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    longestMs: tookMs.reduce((longest, ms) => Math.max(longest, ms), 0),
  };
  tookMs = [];
  process.send?.(result);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
await writeForever();

async function writeForever(): Promise<never> {
  const file = openSyncedFile('disk', FILE_BYTES);
  for (let offset = 0; ; offset = (offset + LINE.length) % (FILE_BYTES - LINE.length)) {
    const startMs = performance.now();
    await promisify(write)(file, LINE, 0, LINE.length, offset);
    tookMs.push(performance.now() - startMs);
    await wait(EVERY_MS);
  }
}
