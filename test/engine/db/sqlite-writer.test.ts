import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { FailingStatements } from '../../../src/db/sqlite/failing-statements.ts';
import { withWriter } from '../../../src/db/sqlite/with-writer.ts';
import { openWriter } from '../../../src/db/sqlite/writer.ts';
import { fill, mountDisk, noDisk, unmount } from '../../helpers/disks.ts';

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

it('the writer closes on a full disk too, and its log is there at the next start', {
  skip: noDisk,
}, async (t) => {
  const disk = mountDisk();
  t.after(() => unmount(disk));
  const open = () => openWriter(join(disk, 'full.db'), new FailingStatements(), () => undefined);
  const writer = await open();
  const run = (sql: string) => withWriter(writer, (session) => session.run(sql, []));
  await run('create table kept (number integer)');
  await run('insert into kept values (7)');
  fill(disk);
  await writer.close();

  const again = await open();
  const { rows } = await withWriter(again, (session) => session.run('select number from kept', []));
  assert.deepEqual({ ...(rows[0] as object) }, { number: 7 });
  await again.close();
});
