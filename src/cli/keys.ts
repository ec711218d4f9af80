import { KEY_KINDS } from '../apps/key.ts';
import { StartError } from '../platform/errors.ts';
import { withAdmin } from './admin-client.ts';
import { print } from './apps.ts';
import { readWords } from './arguments.ts';

const USAGES = {
  list: 'throughline keys list APP_ID',
  create: `throughline keys create APP_ID ${KEY_KINDS.join(' | ')}`,
  revoke: 'throughline keys revoke APP_ID KEY_ID',
};

export const KEYS_USAGE = Object.values(USAGES).join('\n');

/** Lists, makes and revokes an app's keys. A key is shown once, when it is made. */
export async function keys([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'list': {
      const [appId = ''] = readWords(USAGES.list, args, ['APP_ID']);
      return print(await withAdmin((call) => call('GET', pathOf(appId))));
    }
    case 'create': {
      const [appId = '', kind] = readWords(USAGES.create, args, ['APP_ID', 'The kind']);
      return print(await withAdmin((call) => call('POST', pathOf(appId), { kind })));
    }
    case 'revoke': {
      const [appId = '', keyId = ''] = readWords(USAGES.revoke, args, ['APP_ID', 'KEY_ID']);
      await withAdmin((call) => call('DELETE', `${pathOf(appId)}/${encodeURIComponent(keyId)}`));
      process.stdout.write('Revoked. It stops working everywhere within 5 seconds.\n');
      return;
    }
    default:
      throw new StartError(`Usage:\n\n${KEYS_USAGE}`);
  }
}

function pathOf(appId: string): string {
  return `/apps/${encodeURIComponent(appId)}/keys`;
}
