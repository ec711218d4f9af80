import { KEY_KINDS } from '../auth/key.ts';
import { StartError } from '../errors.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { readArguments } from './arguments.ts';
import { printJson } from './output.ts';

const USAGES = {
  list: 'throughline keys list APP_ID',
  create: `throughline keys create APP_ID ${KEY_KINDS.join(' | ')}`,
  revoke: 'throughline keys revoke APP_ID KEY_ID',
};

export const KEYS_USAGE = Object.values(USAGES).join('\n');

/** Lists, creates and revokes an app's keys. Only `create` prints a key itself. */
export async function keys([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'list': {
      const [appId = ''] = readArguments(USAGES.list, args, ['APP_ID']);
      return printJson(await withAdmin((call) => call('GET', `${appPath(appId)}/keys`)));
    }
    case 'create': {
      const [appId = '', kind] = readArguments(USAGES.create, args, ['APP_ID', 'The kind']);
      return printJson(await withAdmin((call) => call('POST', `${appPath(appId)}/keys`, { kind })));
    }
    case 'revoke': {
      const [appId = '', keyId = ''] = readArguments(USAGES.revoke, args, ['APP_ID', 'KEY_ID']);
      await withAdmin((call) => call('DELETE', `${appPath(appId)}/keys/${encodeURIComponent(keyId)}`));
      process.stdout.write('Revoked. All processes reject the key within 5 seconds.\n');
      return;
    }
    default:
      throw new StartError(`Usage:\n\n${KEYS_USAGE}`);
  }
}
