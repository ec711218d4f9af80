import { StartError } from '../platform/errors.ts';
import { withAdmin } from './admin-client.ts';
import { print } from './apps.ts';

export const KEYS_USAGE = `throughline keys list APP_ID
throughline keys create APP_ID live | test | live_publishable | test_publishable
throughline keys revoke APP_ID KEY_ID`;

/** Lists, makes and revokes an app's keys. A key is shown once, when it is made. */
export async function keys([verb, appId = '', rest = '']: readonly string[]): Promise<void> {
  const path = `/apps/${encodeURIComponent(appId)}/keys`;
  switch (verb) {
    case 'list':
      return print(await withAdmin((call) => call('GET', path)));
    case 'create':
      return print(await withAdmin((call) => call('POST', path, { kind: rest })));
    case 'revoke':
      await withAdmin((call) => call('DELETE', `${path}/${encodeURIComponent(rest)}`));
      process.stdout.write('Revoked. It stops working on every node within 5 seconds.\n');
      return;
    default:
      throw new StartError(`Usage:\n${KEYS_USAGE}`);
  }
}
