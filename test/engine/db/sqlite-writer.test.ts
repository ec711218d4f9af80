import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';

const LARGEST_YOUNG_GENERATION_MB = 8;

/** Prints the heap limit of the thread without its old generation, in MB. */
const PROGRAM = `
import { openWriter } from ${JSON.stringify(new URL('../../../src/db/sqlite/writer.ts', import.meta.url).href)};
const started = Promise.withResolvers();
process.on('worker', (worker) => worker.once('online', () => started.resolve(worker)));
const writer = await openWriter(process.argv[1], undefined, () => undefined);
const worker = await started.promise;
const { heap_size_limit } = await worker.getHeapStatistics();
console.log(heap_size_limit / 2 ** 20 - worker.resourceLimits.maxOldGenerationSizeMb);
await writer.close();
`;

it('the writer’s thread has a small young generation, even if the main thread has a larger one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'writer-'));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-semi-space-size=16',
      '--eval',
      PROGRAM,
      join(directory, 'test.db'),
    ]);
    const youngGenerationMb = Number(stdout);
    assert.ok(youngGenerationMb > 0 && youngGenerationMb <= LARGEST_YOUNG_GENERATION_MB, stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
