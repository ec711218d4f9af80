import { migrations } from '../../migrations/index.ts';
import { readConfig } from '../config.ts';
import { openMigrated } from '../db/index.ts';
import { openDataDir } from '../lib/data-dir/index.ts';
import { createLog } from '../lib/log.ts';
import { readOptions } from './arguments.ts';

export const MIGRATE_USAGE = 'throughline migrate [--without-copy]';

/** Applies pending migrations and exits, also those that failed before. `serve` applies them when it starts, too. */
export async function migrate(args: readonly string[] = []): Promise<void> {
  const options = { 'without-copy': { type: 'boolean', default: false } } as const;
  const { values } = readOptions(MIGRATE_USAGE, { args: [...args], options });
  const config = readConfig(process.env);
  // SQLite allows one process; on PostgreSQL a lock in the database serialises migrations.
  const dataDir = config.databaseUrl === null ? openDataDir(config) : null;
  try {
    const { store, applied } = await openMigrated(config, migrations, {
      log: createLog('warn', { to: 'stderr' }),
      onDeath: () => undefined,
      copies: !values['without-copy'],
      triesAgain: true,
    });
    await store.close();
    process.stdout.write(
      applied.length === 0
        ? 'Nothing to do: all migrations are applied.\n'
        : `Applied: ${applied.join(', ')}\n`,
    );
  } finally {
    dataDir?.release();
  }
}
