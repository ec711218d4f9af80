import { migrations } from '../../migrations/index.ts';
import { readConfig } from '../platform/config.ts';
import { takeDataDir } from '../platform/data-dir/index.ts';
import { openMigrated } from '../platform/db/index.ts';
import { createLog } from '../platform/log.ts';

/** Applies what is missing of the migrations, without serving. `serve` does the same at its start. */
export async function migrate(): Promise<void> {
  const config = readConfig(process.env);
  // The embedded file has one owner; a PostgreSQL database takes turns by itself.
  const dataDir = config.databaseUrl === null ? takeDataDir(config) : null;
  try {
    // What ends the writer fails the migration too, which says so.
    const { store, applied } = await openMigrated(config, migrations, {
      log: createLog('warn', 'stderr'),
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
