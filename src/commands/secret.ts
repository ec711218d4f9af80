import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { type Config, readConfig } from '../config.ts';
import { openStore } from '../db/index.ts';
import { StartError } from '../errors.ts';
import {
  assertNotMoved,
  findRootSecret,
  findRootSecrets,
  PREVIOUS_SECRET_FILE,
  replaceRootSecret,
} from '../lib/data-dir/index.ts';
import { createLog } from '../lib/log.ts';
import { inspectSecret } from '../root-secret/index.ts';
import { withAdmin } from './admin-client.ts';
import { readArguments } from './arguments.ts';
import { requireExistingData } from './existing-data.ts';

const USAGES = {
  status: 'throughline secret status',
  rotate: 'throughline secret rotate',
  forget: 'throughline secret forget',
};

export const SECRET_USAGE = `${USAGES.status}
                       say when SECRET_KEY was replaced, and whether the previous one is still needed
${USAGES.rotate}
                       replace the file secret-key; the service uses the new one from its next start on
${USAGES.forget}
                       delete the file of the previous secret key, once it is not needed`;

interface SecretHealth {
  readonly replacedAt: string | null;
  readonly mayRemovePrevious: boolean;
}

export async function secret([verb = '', ...args]: readonly string[]): Promise<void> {
  if (!Object.hasOwn(USAGES, verb)) throw new StartError(`Usage:\n\n${SECRET_USAGE}`);
  readArguments(USAGES[verb as keyof typeof USAGES], args, []);
  const config = readConfig(process.env);
  if (verb === 'status') return print(await statusOf(config));
  if (config.secretKey !== null)
    throw new StartError(
      'The secret key is in the setting SECRET_KEY. To replace it, start the service with the new one as SECRET_KEY and the former one as PREVIOUS_SECRET_KEY (docs/guide/secrets.md).',
    );
  if (verb === 'rotate') await rotate(config);
  else await forget(config);
}

async function rotate(config: Config): Promise<void> {
  await requireExistingData(config);
  assertNotMoved(config);
  if (findRootSecret(config) === null)
    throw new StartError(
      `There is no secret-key in ${resolve(config.dataDir)}. Set DATA_DIR to the folder that has it.`,
    );
  replaceRootSecret(config);
  print(
    'Replaced secret-key; the former one is in secret-key.previous. Restart the service now. It encrypts what is stored again; “throughline secret status” says when that is done, and “throughline secret forget” then deletes the former one.',
  );
}

async function forget(config: Config): Promise<void> {
  const file = previousFile(config);
  if (!existsSync(file)) return print('There is no previous secret key to forget.');
  const { replacedAt, mayRemovePrevious } = await readStatus();
  if (await isPending(config))
    throw new StartError(`${file} is the secret key of the data until a restart. Restart the service first.`);
  if (replacedAt === null || !mayRemovePrevious)
    throw new StartError(
      `${file} is still needed: the service uses it, or values are stored under it. Restart the service if it was not restarted since secret-key was replaced, and try again in a minute.`,
    );
  rmSync(file);
  print(`Deleted ${file}. A backup from before the rotation needs the secret-key that is in it.`);
}

async function readStatus(): Promise<SecretHealth> {
  const { secret } = (await withAdmin((call) => call('GET', '/health'))) as { secret: SecretHealth };
  return secret;
}

/** Whether the service, which may run with the secret key before, has still to begin to use the new one. */
async function isPending(config: Config): Promise<boolean> {
  const given = findRootSecrets(config);
  if (given === null) return false;
  const store = await openStore(config, migrations, createLog('silent'), () => undefined);
  try {
    return (await inspectSecret(store.db, config, given)).isPending;
  } finally {
    await store.close();
  }
}

async function statusOf(config: Config): Promise<string> {
  const { replacedAt, mayRemovePrevious } = await readStatus();
  const name = config.secretKey === null ? PREVIOUS_SECRET_FILE : 'PREVIOUS_SECRET_KEY';
  if (await isPending(config))
    return `The service begins to use the new secret key with its next start: restart it, and keep ${name} until then.`;
  if (replacedAt === null) return 'The secret key was never replaced.';
  const isGiven =
    config.secretKey === null ? existsSync(previousFile(config)) : config.previousSecretKey !== null;
  const rest = mayRemovePrevious
    ? isGiven
      ? `${name} is not needed any more: remove it${config.secretKey === null ? ' (throughline secret forget)' : ''}.`
      : 'The previous one is not needed any more.'
    : `Keep ${name}: values stored under the previous one are being encrypted again, or the service was not restarted since it was replaced.`;
  return `The secret key was replaced on ${replacedAt}. ${rest}`;
}

function previousFile({ dataDir }: Config): string {
  return join(resolve(dataDir), PREVIOUS_SECRET_FILE);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
