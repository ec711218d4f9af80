import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** Rows are short-lived: a larger young generation takes more memory without being faster. */
const YOUNG_GENERATION_MB = 6;

/** @param file of this folder; reads the path from `workerData`. */
export function startThread(file: string, path: string): Worker {
  // The flag that `npm start` sets overrides the limits of new threads. The main thread's heap is configured already.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(new URL(file, import.meta.url), {
    workerData: { path },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
