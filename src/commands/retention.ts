import { StartError } from '../errors.ts';
import { withAdmin } from './admin-client.ts';
import { readArguments } from './arguments.ts';
import { printJson } from './output.ts';

const USAGES = {
  show: 'throughline retention show',
  confirm: 'throughline retention confirm',
};

export const RETENTION_USAGE = `${USAGES.show}
${USAGES.confirm}
                       confirm that the clock is right, and drop old records without waiting an hour`;

/** Shows whether retention is paused by an implausible clock; confirms the clock. */
export async function retention([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'show':
      readArguments(USAGES.show, args, []);
      return printJson(await withAdmin((call) => call('GET', '/retention')));
    case 'confirm':
      readArguments(USAGES.confirm, args, []);
      return printJson(await withAdmin((call) => call('POST', '/retention/confirmation')));
    default:
      throw new StartError(`Usage:\n\n${RETENTION_USAGE}`);
  }
}
