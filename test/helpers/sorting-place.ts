/** For `--import`: says at the end of a process in which files its SQLite sorts. */
import { readdirSync, readlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

process.once('exit', () => {
  const db = new DatabaseSync(':memory:');
  const rows = db
    .prepare(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 40000)
      select randomblob(1000) as bytes from numbers order by bytes`)
    .iterate();
  rows.next();
  for (const name of readdirSync('/proc/self/fd'))
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      if (path.includes('etilqs_')) process.stdout.write(`sorts in ${path}\n`);
    } catch {
      // The folder's own descriptor.
    }
});
