/** What surrounds pending migrations: the way back before them, and one line when they fail. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { readFailedUpgrade, removeFailedUpgrade, writeFailedUpgrade } from '../lib/data-dir/index.ts';
import type { Log } from '../lib/log.ts';
import { VERSION } from '../lib/version.ts';
import { explainMigrationFault, mayPass } from './explain-fault.ts';
import { isUnavailable } from './faults.ts';
import type { MigrationFailed } from './migrate.ts';
import { databaseFile } from './open-store.ts';
import { copyBeforeUpgrade, fileState } from './sqlite/copy-before-upgrade.ts';
import { assertOwnWal } from './sqlite/foreign-wal.ts';
import { readStoredSchema } from './sqlite/read-upgrade.ts';

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>;

export interface UpgradeOptions {
  readonly log: Log;
  /** Without it, the operator has another way back. */
  readonly copies: boolean;
  /** Tries again what failed before, without a look at what is known of it. */
  readonly triesAgain: boolean;
}

/**
 * Before migrations of a SQLite file: copies it.
 * @param known names of this version's migrations.
 * @throws StartError if the same upgrade of the same data has failed before, or no copy can be made.
 */
export async function prepareUpgrade(
  { databaseUrl, dataDir }: Place,
  known: readonly string[],
  { log, copies, triesAgain }: UpgradeOptions,
): Promise<void> {
  if (databaseUrl !== null) return;
  const path = databaseFile({ dataDir: resolve(dataDir) });
  assertOwnWal(path);
  const stored = readStoredSchema(path);
  if (stored === null || stored.migrations.length === 0) return;
  const isNewer = stored.migrations.some((name) => !known.includes(name));
  if (isNewer || known.every((name) => stored.migrations.includes(name))) return;
  const failed = triesAgain
    ? null
    : readFailedUpgrade({ dataDir }, { version: VERSION, source: fileState(path) });
  if (failed !== null) throw new StartError(failed);
  if (copies)
    await copyBeforeUpgrade({
      ...{ dataDir: resolve(dataDir), fromVersion: stored.version, toVersion: VERSION, log },
    });
}

/** After a successful start. */
export function forgetFailedUpgrade({ databaseUrl, dataDir }: Place): void {
  if (databaseUrl === null) removeFailedUpgrade({ dataDir });
}

/** Explains a migration that failed; the database is unchanged, since migrations are one transaction. */
export function explainFailedUpgrade(
  { databaseUrl, dataDir }: Place,
  { migration, cause, fromVersion }: MigrationFailed,
): StartError {
  const before =
    fromVersion === null || fromVersion === VERSION ? 'the version before' : `version ${fromVersion}`;
  const passes = isUnavailable(cause) && mayPass(cause);
  const next = passes
    ? `The next start tries again, and ${before} runs meanwhile`
    : `Run ${before} again, and report this line; to try once more, run “throughline migrate”`;
  const message = `The upgrade to version ${VERSION} failed in migration ${migration}: ${explainMigrationFault(cause, databaseUrl)}. The data is unchanged. ${next} (docs/guide/upgrading.md).`;
  if (databaseUrl === null && !isUnavailable(cause))
    writeFailedUpgrade(
      { dataDir },
      { version: VERSION, source: fileState(databaseFile({ dataDir })), message },
    );
  return new StartError(message, { cause, mayPass: passes });
}
