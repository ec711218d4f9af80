import { StartError } from '../platform/errors.ts';
import { withAdmin } from './admin-client.ts';

export const APPS_USAGE = `throughline apps list
throughline apps show APP_ID
throughline apps create name="My app" [FIELD=VALUE …]
throughline apps update APP_ID FIELD=VALUE …

A field is named as in the API: iosBundleId, androidPackage, iosDestination, fingerprintWindowHours, …
An empty value clears it; several certificate fingerprints are separated by commas.`;

/** Lists, shows, creates and updates apps. */
export async function apps([verb, ...args]: readonly string[]): Promise<void> {
  await withAdmin(async (call) => {
    const [id = '', ...assignments] = args;
    switch (verb) {
      case 'list':
        return print(await call('GET', '/apps'));
      case 'show':
        return print(await call('GET', `/apps/${encodeURIComponent(id)}`));
      case 'create':
        return print(await call('POST', '/apps', parseFields(args)));
      case 'update':
        return print(await call('PATCH', `/apps/${encodeURIComponent(id)}`, parseFields(assignments)));
      default:
        throw new StartError(`Usage:\n${APPS_USAGE}`);
    }
  });
}

export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function parseFields(assignments: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [, field, text] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
      if (field === undefined || text === undefined)
        throw new StartError(`“${assignment}” is not of the form FIELD=VALUE.\n${APPS_USAGE}`);
      return [field, parseValue(field, text)];
    }),
  );
}

function parseValue(field: string, text: string): unknown {
  if (field === 'androidCertFingerprints') return text === '' ? [] : text.split(',');
  if (text === '') return null;
  if (field.endsWith('Hours')) return Number(text);
  if (field === 'fingerprintIos' || field === 'fingerprintAndroid')
    return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
