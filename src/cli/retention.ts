import { StartError } from '../platform/errors.ts';
import { withAdmin } from './admin-client.ts';
import { print } from './apps.ts';
import { readWords } from './arguments.ts';

const USAGES = {
  show: 'throughline retention show',
  confirm: 'throughline retention confirm',
};

export const RETENTION_USAGE = `${USAGES.show}
${USAGES.confirm}
                       the clock is right: drop old records without waiting an hour`;

/** Shows whether retention waits because the clock is in doubt; confirms the clock. */
export async function retention([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'show':
      readWords(USAGES.show, args, []);
      return print(await withAdmin((call) => call('GET', '/retention')));
    case 'confirm':
      readWords(USAGES.confirm, args, []);
      return print(await withAdmin((call) => call('POST', '/retention/confirmation')));
    default:
      throw new StartError(`Usage:\n\n${RETENTION_USAGE}`);
  }
}
