import { StartError } from '../platform/errors.ts';
import { type AdminCall, withAdmin } from './admin-client.ts';

export const APPS_USAGE = `throughline apps list
throughline apps show APP_ID
throughline apps create name="My app" [FIELD=VALUE …]
throughline apps update APP_ID FIELD=VALUE …

A field is named as in the API: iosBundleId, androidPackage, iosDestination, fingerprintWindowHours, …
An empty value clears it; several certificate fingerprints are separated by commas.`;

type Verb = (call: AdminCall, args: readonly string[]) => Promise<unknown>;

const verbs: Record<string, Verb> = {
  list: (call) => call('GET', '/apps'),
  show: (call, [id = '']) => call('GET', `/apps/${encodeURIComponent(id)}`),
  create: (call, fields) => call('POST', '/apps', parseFields(fields)),
  update: (call, [id = '', ...fields]) =>
    call('PATCH', `/apps/${encodeURIComponent(id)}`, parseFields(fields)),
};

/** Lists, shows, creates and updates apps. */
export async function apps([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new StartError(`Usage:\n${APPS_USAGE}`);
  print(await withAdmin((call) => verb(call, args)));
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
