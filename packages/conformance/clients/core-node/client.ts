/** `@throughline/core` in Node. */
import { createInterface } from 'node:readline';
import { createThroughline, StandardEvent } from '../../../core/src/index.ts';
import { createDriver } from '../core/driver.ts';
import { fileStorage } from './file-storage.ts';

const take = createDriver({
  createThroughline,
  StandardEvent,
  storage: fileStorage(process.env.THROUGHLINE_STORAGE ?? '.'),
  say: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
});
createInterface(process.stdin)
  .on('line', take)
  .on('close', () => process.exit());
