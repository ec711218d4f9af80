import { migrations } from '../../migrations/index.ts';
import { readConfig } from '../platform/config.ts';
import { takeDataDir } from '../platform/data-dir.ts';
import { openStore } from '../platform/db/index.ts';
import { createLog } from '../platform/log.ts';

/** Applies what is missing of the migrations, without serving. `serve` does the same at its start. */
export async function migrate(): Promise<void> {
  const config = readConfig(process.env);
  // The embedded file has one owner; a PostgreSQL database takes turns by itself.
  const dataDir = config.databaseUrl === null ? takeDataDir(config) : null;
  const store = await openStore(config, migrations, createLog('warn'), (cause) => {
    throw cause;
  });
  try {
    const applied = await store.migrate();
    process.stdout.write(
      applied.length === 0
        ? 'Nothing to do: all migrations are applied.\n'
        : `Applied: ${applied.join(', ')}\n`,
    );
  } finally {
    await store.close();
    dataDir?.release();
  }
}
