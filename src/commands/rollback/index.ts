import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Config, readConfig } from '../../config.ts';
import { databaseFile } from '../../db/index.ts';
import { isIntact } from '../../db/sqlite/read-file.ts';
import { readStoredSchema } from '../../db/sqlite/read-upgrade.ts';
import { StartError } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import {
  assertNotMoved,
  COPIES_KEPT_DAYS,
  holdDataDir,
  listCopies,
  swapData,
  type UpgradeCopy,
} from '../../lib/data-dir/index.ts';
import { VERSION } from '../../lib/version.ts';
import { readOptions, usageError } from '../arguments.ts';
import { countLost } from './count-lost.ts';

const USAGE = 'throughline rollback [COPY] [--yes] [--list]';

export const ROLLBACK_USAGE = `${USAGE}
                       bring back the data from before the last upgrade, of a stopped service on SQLite`;

/** Brings back a copy of the data; the present data is kept beside it. */
export async function rollback(args: readonly string[]): Promise<void> {
  const { wanted, isSure, lists } = readRollback(args);
  const config = readConfig(process.env);
  if (config.databaseUrl !== null)
    throw new StartError(
      'The data is in the PostgreSQL of DATABASE_URL, of which no copy is made: restore the dump from before the upgrade (docs/guide/upgrading.md).',
    );
  if (!existsSync(resolve(config.dataDir)))
    throw new StartError(
      `There is no DATA_DIR ${resolve(config.dataDir)}. Set DATA_DIR to the folder of the data.`,
    );
  if (lists) return printCopies(config);
  assertNotMoved(config);
  const held = holdDataDir(config);
  try {
    // It may be the one that is asked for again: another one would go back further.
    if (held.completed !== null) return sayCompleted(held.completed);
    const copy = chooseCopy(config, wanted);
    assertIntact(copy);
    await confirm(config, copy, isSure);
    const aside = swapData(config, copy, writerOf(config));
    process.stdout.write(
      `The data is that of ${copy.at} again. ${nextStep(copy)} The data of until now is in ${aside} for ${COPIES_KEPT_DAYS} days.\n`,
    );
  } finally {
    held.release();
  }
}

function readRollback(args: readonly string[]) {
  const options = {
    yes: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = readOptions(USAGE, { args: [...args], options, allowPositionals: true });
  if (positionals.length > 1) throw usageError(USAGE, `Unexpected argument “${positionals[1]}”.`);
  return { wanted: positionals[0] ?? null, isSure: values.yes, lists: values.list };
}

function printCopies(config: Config): void {
  const lines = listCopies(config).map(({ name, kind, fromVersion, at }) => {
    const version = fromVersion === null ? 'an earlier version' : `version ${fromVersion}`;
    return `${name}  ${kind === 'before' ? 'before an upgrade' : 'set aside by a rollback'}, data of ${version} at ${at}\n`;
  });
  process.stdout.write(lines.length === 0 ? 'There is no copy from before an upgrade.\n' : lines.join(''));
}

function sayCompleted(copy: string): void {
  process.stdout.write(
    `A rollback that was interrupted is complete now: the data is that of ${copy}. Nothing else was done. Install the version of that data and start it.\n`,
  );
}

function chooseCopy(config: Config, wanted: string | null): UpgradeCopy {
  const copies = listCopies(config);
  const copy = copies.find((each) =>
    wanted === null ? each.kind === 'before' && isOlder(each, config) : each.name === wanted,
  );
  if (copy !== undefined) return copy;
  throw new StartError(
    wanted === null
      ? `There is no copy from before an upgrade in ${resolve(config.dataDir)}. Restore a backup (docs/guide/backup.md).`
      : `There is no copy “${wanted}”. List them: throughline rollback --list.`,
  );
}

/** Whether migrations lie between: not after one that failed, nor for a copy of newer data than a rollback has brought back. */
function isOlder(copy: UpgradeCopy, config: Config): boolean {
  const [then, now] = [migrationsIn(copy.path), migrationsIn(config.dataDir)];
  return then === null || now === null || now.some((name) => !then.includes(name));
}

/** Null where they cannot be read. */
function migrationsIn(dataDir: string): readonly string[] | null {
  try {
    return readStoredSchema(databaseFile({ dataDir }))?.migrations ?? null;
  } catch {
    return null;
  }
}

function assertIntact(copy: UpgradeCopy): void {
  if (!isIntact(databaseFile({ dataDir: copy.path })))
    throw new StartError(
      `The copy ${copy.path} is damaged, and nothing was changed. Choose another one (throughline rollback --list), or restore a backup (docs/guide/backup.md).`,
    );
}

/** @throws StartError without a terminal and without `--yes`. */
async function confirm(config: Config, copy: UpgradeCopy, isSure: boolean): Promise<void> {
  const loss = describeLoss(config, copy);
  process.stderr.write(`${loss}\n`);
  if (isSure) return;
  if (!process.stdin.isTTY) throw new StartError('Nothing was changed. To go on, add --yes.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question('Go on? Type yes: ').finally(() => lines.close());
  if (answer.trim().toLowerCase() !== 'yes') throw new StartError('Nothing was changed.');
}

function describeLoss(config: Config, copy: UpgradeCopy): string {
  const lost = listLoss(config, copy);
  return `This brings back the data of ${copy.at}. Lost is what was recorded or changed since: ${lost}. People erased since are back: send those erasures again (docs/guide/backup.md#after-a-restore).`;
}

function listLoss(config: Config, copy: UpgradeCopy): string {
  if (Date.parse(copy.at) > systemClock.nowMs())
    return 'how much is unknown, since the clock was ahead when the copy was made';
  try {
    const counts = [...countLost(config, copy)].map(([what, count]) => `${count} ${what}`);
    return counts.length === 0 ? 'no record' : counts.join(', ');
  } catch (error) {
    return `how much is unknown, since the present data cannot be read (${(error as Error).message})`;
  }
}

function nextStep({ fromVersion }: UpgradeCopy): string {
  if (fromVersion === VERSION) return 'Now start the service.';
  return `Now install ${fromVersion === null ? 'the version before' : `version ${fromVersion}`} and start it.`;
}

function writerOf(config: Config): string | null {
  try {
    return readStoredSchema(databaseFile(config))?.version ?? null;
  } catch {
    return null;
  }
}
