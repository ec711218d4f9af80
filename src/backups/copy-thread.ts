/** The thread that makes one copy of the data directory: the copy blocks it for as long as it takes. */
import { parentPort, workerData } from 'node:worker_threads';
import { copyData, countRows } from './copy-data.ts';

if (parentPort === null) throw new Error('this file runs as a worker thread');

const { draft, dataDir } = workerData as { draft: string; dataDir: string };
copyData(draft, dataDir);
parentPort.postMessage(countRows(draft));
