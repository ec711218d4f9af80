import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, readConfig } from '../config.ts';
import { StartError } from '../errors.ts';
import { monotonicMs, SECOND_MS } from '../lib/clock.ts';
import { isStarting } from '../lib/data-dir/index.ts';
import { withAdmin } from './admin-client.ts';
import { readArguments } from './arguments.ts';
import { newestKeysFile } from './first-keys.ts';

const USAGE = 'throughline setup';

export const SETUP_USAGE = `${USAGE}      print a new one-time address of the console and, once, the first keys`;

const START_MS = 30 * SECOND_MS;
const LOOK_EVERY_MS = 200;
const ADDRESS_LINE = /^ *\S+\/console\/setup#\S+$/m;

/**
 * For a first start without a terminal, as in a container without a shell: prints the text of the first keys and removes
 * their file. The address in the text may be used or expired, so a new one takes its place.
 * @throws StartError when the file cannot be read or removed.
 */
export async function setup(args: readonly string[]): Promise<void> {
  readArguments(USAGE, args, []);
  await waitForStart(readConfig(process.env));
  const { url } = (await withAdmin((call) => call('POST', '/users/setup'))) as { url: string };
  const file = newestKeysFile(readConfig(process.env).dataDir);
  if (file === null) {
    await print(`Make an account of the console that sees every app, at this address, once and within 7 days:

  ${url}

The first keys are not in DATA_DIR: they were shown before, or another process has them. The console makes new ones.
`);
    return;
  }
  await print(readKeys(file).replace(ADDRESS_LINE, () => `  ${url}`));
  try {
    rmSync(file);
  } catch (error) {
    throw new StartError(`${file} could not be removed: ${(error as Error).message}. Remove it.`);
  }
  process.stderr.write(`${file} is removed: keep the keys now.\n`);
}

/** The quick starts run this command right after the service is started. */
export async function waitForStart(config: Pick<Config, 'dataDir'>): Promise<void> {
  const endMs = monotonicMs() + START_MS;
  while (isStarting(config) && monotonicMs() < endMs) await sleep(LOOK_EVERY_MS);
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `${file} cannot be read: ${(error as Error).message}. Run the command as the user of the service.`,
    );
  }
}

/** Resolves once the text is written: the file with the keys is removed only then. */
async function print(text: string): Promise<void> {
  await new Promise<void>((written, failed) =>
    process.stdout.write(text, (error) => (error ? failed(error) : written())),
  );
}
