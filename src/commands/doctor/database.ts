import { sql } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import type { Config } from '../../config.ts';
import { explainNewerData, openStore, type Store, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import { MINUTE_MS, systemClock } from '../../lib/clock.ts';
import { findRootSecrets } from '../../lib/data-dir/index.ts';
import { createLog } from '../../lib/log.ts';
import { VERSION } from '../../lib/version.ts';
import { inspectSecret } from '../../root-secret/index.ts';
import { attempt, type Finding, fault, ok, unknown, warning } from './check.ts';

const MIN_POSTGRES = 150_000;
/** Of a process of the service. */
const POOL = 10;
const MAX_CLOCK_DIFFERENCE_MS = 2_000;

/** Runs `work` with the database; its findings are one fault if it cannot be opened. It is not migrated. */
export async function withDatabase(
  config: Config,
  work: (store: Store) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let store: Store | undefined;
  try {
    store = await openStore(config, migrations, createLog('silent'), () => undefined);
    await store.checkSessions();
    await sql`select 1`.execute(store.db);
    return await work(store);
  } catch (error) {
    const { message } = error instanceof StartError ? error : toStartError(config, error);
    return [fault('database.open', message, 'The service does not start before this is mended.')];
  } finally {
    await store?.close().catch(() => undefined);
  }
}

export async function checkDatabase(
  store: Store,
  config: Config,
  { hasData }: { readonly hasData: boolean },
): Promise<readonly Finding[]> {
  const { engine, version } = await store.describe();
  const checks = [
    ...(hasData
      ? [
          attempt('database.migrations', () => checkMigrations(store, config)),
          attempt('secret.key', () => checkSecret(store, config)),
        ]
      : [attempt('database.migrations', noData)]),
    ...(engine === 'postgres'
      ? [
          attempt('database.writable', () => checkWritable(store)),
          attempt('database.settings', () => checkPostgres(store)),
        ]
      : []),
  ];
  const open = ok('database.open', `${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${version} answers`);
  return [open, ...(await Promise.all(checks)).flat()];
}

export function noData(): Finding {
  return unknown('database.migrations', 'There is no data yet: the first start creates it');
}

async function checkMigrations(store: Store, { databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<Finding> {
  const pending = await store.pendingMigrations();
  const newer = await explainNewerData(store.db, Object.keys(migrations({} as never)));
  if (newer !== null)
    return fault(
      'database.migrations',
      newer,
      databaseUrl === null
        ? 'The service does not start before that. The data from before comes back by: throughline rollback'
        : 'The service does not start before that.',
    );
  if (pending.length > 0)
    return ok(
      'database.migrations',
      `${pending.length} migrations are pending: the next start of version ${VERSION} applies them`,
    );
  return ok('database.migrations', `The data is of version ${VERSION}`);
}

async function checkSecret({ db }: Store, config: Config): Promise<Finding> {
  const given = findRootSecrets(config);
  if (given === null)
    return fault(
      'secret.key',
      'There is no secret-key in DATA_DIR',
      'Restore it from a backup, or set SECRET_KEY (docs/guide/backup.md).',
    );
  const { refusal, isPending, replacedAt, mayRemovePrevious } = await inspectSecret(db, config, given);
  if (refusal !== null)
    return fault('secret.key', refusal, 'The service does not start before this is mended.');
  if (isPending)
    return warning(
      'secret.key',
      'The secret key is new, and the data is still stored under the former one',
      'Restart the service, and keep the former one until it is not needed.',
    );
  if (replacedAt === null)
    return ok('secret.key', 'The secret key is that of the data, and was never replaced');
  if (!mayRemovePrevious)
    return warning(
      'secret.key',
      `The secret key was replaced on ${replacedAt}, and values are still stored under the former one`,
      'Keep the former one while the service runs and encrypts them again; this takes minutes.',
    );
  return given.previousSecret
    ? warning(
        'secret.key',
        `The secret key was replaced on ${replacedAt}, and the former one is not needed any more`,
        'Remove PREVIOUS_SECRET_KEY, or run: throughline secret forget.',
      )
    : ok(
        'secret.key',
        `The secret key was replaced on ${replacedAt}, and the former one is not needed any more`,
      );
}

async function checkWritable({ db }: Store): Promise<Finding> {
  const { rows } = await sql<{ setting: string }>`
    select current_setting('transaction_read_only') as setting`.execute(db);
  return rows[0]?.setting === 'on'
    ? fault(
        'database.writable',
        'The database is read-only, as a standby is',
        'Set DATABASE_URL to the primary, or make the database writable (default_transaction_read_only).',
      )
    : ok('database.writable', 'The database is writable');
}

async function checkPostgres({ db }: Store): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('server_version_num', 'max_connections', 'synchronous_commit',
      'fsync', 'full_page_writes', 'superuser_reserved_connections')`.execute(db);
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const free =
    Number(settings.get('max_connections')) - Number(settings.get('superuser_reserved_connections'));
  const used = await sql<{
    count: number;
  }>`select count(*) as count from pg_stat_activity where backend_type = 'client backend'`.execute(db);
  const connections = Number(used.rows[0]?.count ?? 0);
  const { rows: times } = await sql<{ now: string }>`select now() as now`.execute(db);
  const differenceMs = Math.abs(Date.parse(String(times[0]?.now)) - systemClock.nowMs());
  const isOff = (name: string) => settings.get(name) === 'off';
  const findings: (Finding | null)[] = [
    Number(settings.get('server_version_num')) < MIN_POSTGRES
      ? warning(
          'database.version',
          'PostgreSQL is older than 15, which the service is tested with',
          'Upgrade PostgreSQL.',
        )
      : null,
    isOff('fsync') || isOff('full_page_writes')
      ? fault(
          'database.durable',
          'fsync or full_page_writes is off: a crash of the machine damages the database',
          'Switch both on in postgresql.conf.',
        )
      : isOff('synchronous_commit')
        ? warning(
            'database.durable',
            'synchronous_commit is off: a crash of the server loses answers of the last moment',
            'Switch it on, for the user of the service at least.',
          )
        : ok('database.durable', 'Commits are synced to the disk'),
    connections + POOL > free
      ? warning(
          'database.connections',
          `${connections} of ${free} connections are in use, and a process takes up to ${POOL}`,
          'Raise max_connections, or run fewer processes (docs/guide/growing.md).',
        )
      : ok('database.connections', `${connections} of ${free} connections are in use`),
    Number.isNaN(differenceMs)
      ? unknown('clock.database', 'The clock of the database cannot be read')
      : differenceMs > MAX_CLOCK_DIFFERENCE_MS
        ? (differenceMs > MINUTE_MS ? fault : warning)(
            'clock.database',
            `The clocks of this machine and of the database are ${Math.round(differenceMs / 1_000)} s apart`,
            'Let both take their time by NTP.',
          )
        : ok('clock.database', 'The clocks of this machine and of the database agree'),
  ];
  return findings.filter((finding) => finding !== null);
}
