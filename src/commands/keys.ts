import { KEY_KINDS } from '../auth/key.ts';
import { StartError } from '../errors.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { readArguments, readOptions, usageError } from './arguments.ts';
import { printJson } from './output.ts';

const USAGES = {
  list: 'throughline keys list APP_ID',
  create: `throughline keys create APP_ID ${KEY_KINDS.join(' | ')} [--name NAME]`,
  rename: 'throughline keys rename APP_ID KEY_ID NAME',
  rotate: 'throughline keys rotate APP_ID KEY_ID [--days 0 to 90]',
  end: 'throughline keys end APP_ID KEY_ID TIME',
  revoke: 'throughline keys revoke APP_ID KEY_ID',
};

export const KEYS_USAGE = Object.values(USAGES).join('\n');

const verbs: Record<string, (args: readonly string[]) => Promise<void>> = {
  async list(args) {
    const [appId = ''] = readArguments(USAGES.list, args, ['APP_ID']);
    printJson(await withAdmin((call) => call('GET', keysPath(appId))));
  },
  async create(args) {
    const { name, rest } = readOption(USAGES.create, args, 'name');
    const [appId = '', kind] = readArguments(USAGES.create, rest, ['APP_ID', 'The kind']);
    const body = { kind, ...(name !== undefined && { name }) };
    printJson(await withAdmin((call) => call('POST', keysPath(appId), body)));
  },
  async rename(args) {
    const [appId = '', keyId = '', name] = readArguments(USAGES.rename, args, ['APP_ID', 'KEY_ID', 'NAME']);
    printJson(await withAdmin((call) => call('PATCH', keysPath(appId, keyId), { name })));
  },
  async rotate(args) {
    const { days, rest } = readOption(USAGES.rotate, args, 'days');
    const [appId = '', keyId = ''] = readArguments(USAGES.rotate, rest, ['APP_ID', 'KEY_ID']);
    if (days !== undefined && !/^\d{1,2}$/.test(days))
      throw usageError(USAGES.rotate, `--days “${days}” is no number from 0 to 90.`);
    const body = days === undefined ? {} : { endsInDays: Number(days) };
    printJson(await withAdmin((call) => call('POST', `${keysPath(appId, keyId)}/rotation`, body)));
  },
  async end(args) {
    const [appId = '', keyId = '', endsAt] = readArguments(USAGES.end, args, ['APP_ID', 'KEY_ID', 'TIME']);
    printJson(await withAdmin((call) => call('PATCH', keysPath(appId, keyId), { endsAt })));
  },
  async revoke(args) {
    const [appId = '', keyId = ''] = readArguments(USAGES.revoke, args, ['APP_ID', 'KEY_ID']);
    await withAdmin((call) => call('DELETE', keysPath(appId, keyId)));
    process.stdout.write('Revoked. All processes reject the key within 5 seconds.\n');
  },
};

/** Lists, creates, names, rotates and revokes an app's keys. Only `create` and `rotate` print a secret key itself. */
export async function keys([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new StartError(`Usage:\n\n${KEYS_USAGE}`);
  await verb(args);
}

function keysPath(appId: string, keyId?: string): string {
  return `${appPath(appId)}/keys${keyId === undefined ? '' : `/${encodeURIComponent(keyId)}`}`;
}

/** The one option of a verb, and the other arguments. */
function readOption<Name extends string>(
  usage: string,
  args: readonly string[],
  name: Name,
): { [Key in Name]?: string } & { rest: readonly string[] } {
  const { values, positionals } = readOptions(usage, {
    args: [...args],
    allowPositionals: true,
    options: { [name]: { type: 'string' } },
  });
  return { ...(values as { [Key in Name]?: string }), rest: positionals };
}
