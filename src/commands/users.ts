import { StartError } from '../errors.ts';
import { withAdmin } from './admin-client.ts';
import { readArguments } from './arguments.ts';

const USAGES = { setup: 'throughline users setup' };

export const USERS_USAGE = `${USAGES.setup}
                       print a one-time address for the console, at which an operator is made`;

/** Prints a new address of the set-up; the one before becomes invalid. */
export async function users([verb, ...args]: readonly string[]): Promise<void> {
  if (verb !== 'setup') throw new StartError(`Usage:\n\n${USERS_USAGE}`);
  readArguments(USAGES.setup, args, []);
  const { url } = (await withAdmin((call) => call('POST', '/users/setup'))) as { url: string };
  process.stdout.write(`Open this address once, within 7 days:\n\n${url}\n`);
}
