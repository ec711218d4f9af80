/**
 * A process that writes to disk at a steady pace, each write durable before the next: the minimum that a tap waits for.
 * Distinguishes pauses of the disk from those of the service.
 */
import { write } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { percentile } from '../lib/markdown.ts';
import { openSyncedFile } from '../lib/synced-file.ts';
import { serveOrders } from '../lib/worker.ts';

/** Since the previous order. */
export interface SyncedWrites {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

const INTERVAL_MS = 20;
/** About the size of one click. */
const LINE = Buffer.alloc(400, 'x');
const FILE_BYTES = 4 * 1024 * 1024;

let latenciesMs: number[] = [];

serveOrders(async (): Promise<SyncedWrites> => {
  const measuredMs = latenciesMs;
  latenciesMs = [];
  return {
    p50Ms: percentile(measuredMs, 0.5),
    p99Ms: percentile(measuredMs, 0.99),
    longestMs: Math.max(...measuredMs),
  };
});
await writeForever();

async function writeForever(): Promise<never> {
  const file = openSyncedFile('disk', FILE_BYTES);
  for (let offset = 0; ; offset = (offset + LINE.length) % (FILE_BYTES - LINE.length)) {
    const startMs = performance.now();
    await promisify(write)(file, LINE, 0, LINE.length, offset);
    latenciesMs.push(performance.now() - startMs);
    await wait(INTERVAL_MS);
  }
}
