import { parseArgs } from 'node:util';
import { migrations } from '../../../migrations/index.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { distributeTables } from '../../platform/db/citus/index.ts';
import { databaseRefused, openStore } from '../../platform/db/index.ts';
import { StartError } from '../../platform/errors.ts';
import { createLog } from '../../platform/log.ts';
import { misused } from '../arguments.ts';
import { showProgress } from '../progress.ts';

export const DISTRIBUTE_USAGE = 'throughline db distribute [--shards N]';

/** Citus's own default, which does for some tens of nodes. */
const SHARDS = 32;
const MAX_SHARDS = 1_024;

/** Cuts the tables of the database into shards that lie on the nodes of its Citus cluster (docs/citus.md). */
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
      onTable: (table, { number, of }) => progress.say(`${number} of ${of}: ${table}`),
    });
    progress.end();
    process.stdout.write(`${summaryOf(tables, nodes)}\n`);
  } catch (error) {
    progress.end();
    throw databaseRefused(config, error);
  }
}

async function migrateAll(config: Config): Promise<void> {
  const store = await openStore(config, migrations, createLog('warn', 'stderr'), () => undefined);
  await store.migrate().finally(() => store.close());
}

function readShards(args: readonly string[]): number {
  let text = '';
  try {
    text = parseArgs({ args: [...args], options: { shards: { type: 'string', default: String(SHARDS) } } })
      .values.shards;
  } catch (error) {
    throw misused(DISTRIBUTE_USAGE, `${(error as Error).message.split(/\.(?:\s|$)/, 1)[0]}.`);
  }
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > MAX_SHARDS)
    throw misused(
      DISTRIBUTE_USAGE,
      `--shards must be a whole number from 1 to ${MAX_SHARDS}, not “${text}”.`,
    );
  return shards;
}

function summaryOf(tables: readonly string[], nodes: number): string {
  const where = nodes === 1 ? 'one node' : `${nodes} nodes`;
  if (tables.length === 0) return `Nothing to do: all tables are distributed over ${where}.`;
  return `Distributed over ${where}: ${tables.join(', ')}.\nStart the service as before; DATABASE_URL stays the coordinator's address.`;
}
