import { migrations } from '../../../migrations/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { distributeTables } from '../../db/citus/distribute-tables.ts';
import { openStore, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { createLog } from '../../lib/log.ts';
import { readOptions, usageError } from '../arguments.ts';
import { showProgress } from '../output.ts';

export const DISTRIBUTE_USAGE = 'throughline db distribute [--shards N]';

/** The default of Citus; enough for tens of nodes. */
const DEFAULT_SHARDS = 32;
const MAX_SHARDS = 1_024;

/** Distributes the tables over the nodes of the database's Citus cluster (docs/guide/citus.md). */
export async function distribute(args: readonly string[]): Promise<void> {
  const shards = readShards(args);
  const config = readConfig(process.env);
  const { databaseUrl } = config;
  if (databaseUrl === null)
    throw new StartError(
      'DATABASE_URL is not set: only PostgreSQL can be distributed. Set it to the address of the Citus coordinator.',
    );
  const progress = showProgress();
  try {
    const { tables, nodes } = await distributeTables(databaseUrl, {
      shards,
      migrate: () => migrateAll(config),
      onTable: (table, { number, of }) => progress.report(`${number} of ${of}: ${table}`),
    });
    progress.end();
    process.stdout.write(`${summaryOf(tables, nodes)}\n`);
  } catch (error) {
    progress.end();
    throw toStartError(config, error);
  }
}

async function migrateAll(config: Config): Promise<void> {
  const store = await openStore(config, migrations, createLog('warn', { to: 'stderr' }), () => undefined);
  await store.migrate().finally(() => store.close());
}

function readShards(args: readonly string[]): number {
  const options = { shards: { type: 'string', default: String(DEFAULT_SHARDS) } } as const;
  const { shards: text } = readOptions(DISTRIBUTE_USAGE, { args: [...args], options }).values;
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > MAX_SHARDS)
    throw usageError(
      DISTRIBUTE_USAGE,
      `--shards must be a whole number from 1 to ${MAX_SHARDS}, not “${text}”.`,
    );
  return shards;
}

function summaryOf(tables: readonly string[], nodes: number): string {
  const where = nodes === 1 ? 'one node' : `${nodes} nodes`;
  if (tables.length === 0) return `Nothing to do: all tables are distributed over ${where}.`;
  return `Distributed over ${where}: ${tables.join(', ')}.\nStart the service as before. DATABASE_URL remains the address of the coordinator.`;
}
