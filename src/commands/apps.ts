import { UpdateApp } from '../apps/schemas.ts';
import { StartError } from '../errors.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { readArguments, usageError } from './arguments.ts';
import { printJson } from './output.ts';

const USAGES = {
  list: 'throughline apps list',
  show: 'throughline apps show APP_ID',
  create: 'throughline apps create name="My app" [FIELD=VALUE …]',
  update: 'throughline apps update APP_ID FIELD=VALUE …',
};
const FIELDS = Object.keys(UpdateApp.properties);
const FLAGS = Object.entries(UpdateApp.properties).flatMap(([field, schema]) =>
  'type' in schema && schema.type === 'boolean' ? field : [],
);

export const APPS_USAGE = Object.values(USAGES).join('\n');
export const FIELDS_NOTE = `A FIELD is named as in the API:
${FIELDS.join(', ').replaceAll(/(.{60,90},) /g, '$1\n')}.
An empty VALUE clears a text field. Separate certificate fingerprints by commas. An object is written
as JSON: firebaseLongLinks='{"allowedHosts":["www.example.com"]}'.`;

const verbs: Record<string, (args: readonly string[]) => Promise<unknown>> = {
  async list(args) {
    readArguments(USAGES.list, args, []);
    return await withAdmin((call) => call('GET', '/apps'));
  },
  async show(args) {
    const [id = ''] = readArguments(USAGES.show, args, ['APP_ID']);
    return await withAdmin((call) => call('GET', appPath(id)));
  },
  async create(args) {
    const body = readFields(USAGES.create, readArguments(USAGES.create, args, [], 'more'));
    if (!Object.hasOwn(body, 'name')) throw usageError(USAGES.create, 'name is required.');
    return await withAdmin((call) => call('POST', '/apps', body), { mayCreateData: true });
  },
  async update(args) {
    const [id = '', ...fields] = readArguments(USAGES.update, args, ['APP_ID', 'FIELD=VALUE'], 'more');
    const body = readFields(USAGES.update, fields);
    return await withAdmin((call) => call('PATCH', appPath(id), body));
  },
};

/** Lists, shows, creates and updates apps. */
export async function apps([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) throw new StartError(`Usage:\n\n${APPS_USAGE}\n\n${FIELDS_NOTE}`);
  printJson(await verb(args));
}

function readFields(usage: string, assignments: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, field, text] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
    if (field === undefined || text === undefined)
      throw usageError(usage, `“${assignment}” does not have the form FIELD=VALUE.`);
    if (!FIELDS.includes(field))
      throw usageError(usage, `Unknown field “${field}”. The fields of an app are ${FIELDS.join(', ')}.`);
    if (Object.hasOwn(fields, field)) throw usageError(usage, `Duplicate field “${field}”.`);
    if (field === 'name' && text === '') throw usageError(usage, 'name must not be empty.');
    fields[field] = parseValue(field, text);
  }
  return fields;
}

function parseValue(field: string, text: string): unknown {
  if (field === 'androidCertFingerprints') return text === '' ? [] : text.split(',');
  if (text === '') return null;
  if (text.startsWith('{')) return parseObject(field, text);
  if (/Hours$|Threshold$|^dailyEvent/.test(field)) return /^-?\d*\.?\d+$/.test(text) ? Number(text) : text;
  if (FLAGS.includes(field)) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function parseObject(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(
      `${field} is no JSON object: quote it for the shell, as '{"allowedHosts":["www.example.com"]}'.`,
    );
  }
}
