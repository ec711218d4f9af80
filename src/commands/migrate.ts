import { migrations } from '../../migrations/index.ts';
import { readConfig } from '../config.ts';
import { openMigrated } from '../db/index.ts';
import { openDataDir } from '../lib/data-dir/index.ts';
import { createLog } from '../lib/log.ts';

/** Applies pending migrations and exits. `serve` also applies them when it starts. */
export async function migrate(): Promise<void> {
  const config = readConfig(process.env);
  // SQLite allows one process; on PostgreSQL a lock in the database serialises migrations.
  const dataDir = config.databaseUrl === null ? openDataDir(config) : null;
  try {
    const { store, applied } = await openMigrated(config, migrations, {
      log: createLog('warn', { to: 'stderr' }),
      onDeath: () => undefined,
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
