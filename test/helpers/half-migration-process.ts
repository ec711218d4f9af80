/** A process that stops in the middle of a second migration until it is killed. Forked by `startHalfMigration`. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { migrations } from '../../migrations/index.ts';
import { openMigrated } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Place } from './engines.ts';

const FILE = fileURLToPath(import.meta.url);

/** Resolves in the middle of the migration. */
export async function startHalfMigration({ dataDir, databaseUrl }: Place): Promise<ChildProcess> {
  const config = JSON.stringify({ dataDir, databaseUrl });
  const child = fork(FILE, ['run', config], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}

async function run(config: { dataDir: string; databaseUrl: string | null }): Promise<void> {
  const half: typeof migrations = (types) => ({
    ...migrations(types),
    '9999_half': {
      async up(db) {
        await sql`create table half (id integer primary key)`.execute(db);
        await sql`insert into apps select * from apps`.execute(db);
        process.send?.('halfway');
        await new Promise(() => undefined);
      },
    },
  });
  await openMigrated(config, half, { log: createLog('silent'), onDeath: () => undefined });
}

if (process.argv[1] === FILE && process.argv[2] === 'run') {
  process.once('disconnect', () => process.exit(1));
  await run(JSON.parse(process.argv[3] ?? ''));
}
