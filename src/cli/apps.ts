import { UpdateApp } from '../apps/schemas.ts';
import { StartError } from '../platform/errors.ts';
import { withAdmin } from './admin-client.ts';
import { misused, readWords } from './arguments.ts';

const USAGES = {
  list: 'throughline apps list',
  show: 'throughline apps show APP_ID',
  create: 'throughline apps create name="My app" [FIELD=VALUE …]',
  update: 'throughline apps update APP_ID FIELD=VALUE …',
};
const FIELDS = Object.keys(UpdateApp.properties);
const FLAGS = ['fingerprintIos', 'fingerprintAndroid', 'clipboardToken'];

export const APPS_USAGE = Object.values(USAGES).join('\n');
export const FIELDS_NOTE = `A FIELD is named as in the API:
${FIELDS.join(', ').replaceAll(/(.{60,90},) /g, '$1\n')}.
An empty VALUE clears a text; several certificate fingerprints are separated by commas.`;

/** What is wrong with the words is said before anything is opened. */
const verbs: Record<string, (args: readonly string[]) => Promise<unknown>> = {
  async list(args) {
    readWords(USAGES.list, args, []);
    return await withAdmin((call) => call('GET', '/apps'));
  },
  async show(args) {
    const [id = ''] = readWords(USAGES.show, args, ['APP_ID']);
    return await withAdmin((call) => call('GET', pathOf(id)));
  },
  async create(args) {
    const body = readFields(USAGES.create, readWords(USAGES.create, args, [], 'more'));
    if (!Object.hasOwn(body, 'name')) throw misused(USAGES.create, 'name is required.');
    return await withAdmin((call) => call('POST', '/apps', body), { mayMakeData: true });
  },
  async update(args) {
    const [id = '', ...fields] = readWords(USAGES.update, args, ['APP_ID', 'FIELD=VALUE'], 'more');
    const body = readFields(USAGES.update, fields);
    return await withAdmin((call) => call('PATCH', pathOf(id), body));
  },
};

/** Lists, shows, creates and updates apps. */
export async function apps([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new StartError(`Usage:\n\n${APPS_USAGE}\n\n${FIELDS_NOTE}`);
  print(await verb(args));
}

/** Indented JSON on stdout, for people and for programs. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function pathOf(appId: string): string {
  return `/apps/${encodeURIComponent(appId)}`;
}

function readFields(usage: string, assignments: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, field, text] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
    if (field === undefined || text === undefined)
      throw misused(usage, `“${assignment}” is not of the form FIELD=VALUE.`);
    if (!FIELDS.includes(field))
      throw misused(usage, `“${field}” is no field of an app: these are ${FIELDS.join(', ')}.`);
    if (Object.hasOwn(fields, field)) throw misused(usage, `“${field}” is given twice.`);
    if (field === 'name' && text === '') throw misused(usage, 'name must not be empty.');
    fields[field] = parseValue(field, text);
  }
  return fields;
}

function parseValue(field: string, text: string): unknown {
  if (field === 'androidCertFingerprints') return text === '' ? [] : text.split(',');
  if (text === '') return null;
  if (/Hours$|^dailyEvent/.test(field)) return /^-?\d+$/.test(text) ? Number(text) : text;
  if (FLAGS.includes(field)) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
