/** Writes the documents that follow from the code, and the helpers of standard events: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS, type Setting } from '../src/settings.ts';
import { typeOf as destinationTypeOf } from '../src/webhooks/destinations/destination.ts';
import { presentType } from '../src/webhooks/destinations/schemas.ts';
import { DESTINATION_TYPES } from '../src/webhooks/destinations/types/index.ts';
import { inlineSchemas } from './inline-schemas.ts';
import { generateStandardEvents } from './standard-events.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
}

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Endpoint {
  /** Such as `POST /v1/links`. */
  readonly name: string;
  readonly key: string;
  /** Of the user of a session. */
  readonly role: string;
  readonly operation: Operation;
}

/** The text of each generated file by its path. */
export function generateDocs(): Readonly<Record<string, string>> {
  return {
    'docs/reference/api.md': renderApi(
      inlineSchemas(JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'))),
    ),
    'docs/reference/settings.md': renderSettings(SETTINGS),
    'docs/reference/destinations.md': renderDestinations(),
    ...generateStandardEvents(),
  };
}

function renderSettings(settings: Readonly<Record<string, Setting>>): string {
  const rows = Object.entries(settings).map(([name, { default: value, defaultNote, description }]) => [
    `\`${name}\``,
    value === undefined ? (defaultNote ?? 'none') : `\`${value}\``,
    description,
  ]);
  return [
    '# Settings',
    '<!-- Generated from src/settings.ts by `npm run docs`. -->',
    'Throughline reads its settings once at startup from the environment, and those that are not set there from `.env` in the current directory. An empty value counts as unset. An invalid value ends the process with one line that names the variable. [.env.example](../../.env.example) lists all of them with their defaults.',
    table(['Variable', 'Default', 'Description'], rows),
    '',
  ].join('\n\n');
}

function renderDestinations(): string {
  const types = DESTINATION_TYPES.flatMap(({ type }) => destinationTypeOf(type) ?? []).map(presentType);
  const sections = types.map(({ type, title, documentation, config, limits, fields, mappable }) =>
    [
      `## ${title}`,
      `\`"type": "${type}"\`. Facts from ${documentation.startsWith('http') ? `<${documentation}>` : `[the guide](../guide/destinations.md#http)`}.`,
      table(
        ['Field of config', '', ''],
        config.map(({ name, description, required, secret, values }) => [
          `\`${name}\``,
          [required ? 'required' : 'optional', ...(secret ? ['secret'] : [])].join(', '),
          `${description}${values === null ? '' : `: ${values.map((value) => `\`${value}\``).join(', ')}`}`,
        ]),
      ),
      describeLimits(limits),
      Object.keys(mappable).length === 0
        ? ''
        : `Fields that \`mapping.fields\` may name, with their source: ${Object.entries(mappable)
            .map(([field, source]) => `\`${field}\` (${source === '' ? 'none' : `\`${source}\``})`)
            .join(', ')}.`,
      `Nothing leaves but: ${fields.map((field) => `\`${field}\``).join(', ')}.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
  return [
    '# Types of destinations',
    '<!-- Generated from src/webhooks/destinations/types by `npm run docs`. -->',
    '[Destinations](../guide/destinations.md) says how they work. In the lists of fields `[]` is a list, `*` any name, `**` anything below, `?name` part of the address and `header:name` a header.',
    ...sections,
    '',
  ].join('\n\n');
}

type Limits = ReturnType<typeof presentType>['limits'];

function describeLimits({ maxItems, maxBytes, maxItemBytes, maxAgeMs, intervalMs }: Limits): string {
  const parts = [
    `A call has at most ${maxItems.toLocaleString('en')} ${maxItems === 1 ? 'record' : 'records'} and ${maxBytes.toLocaleString('en')} bytes`,
    ...(maxItemBytes === null ? [] : [`a record ${maxItemBytes.toLocaleString('en')} bytes`]),
    ...(maxAgeMs === null ? [] : [`older records than ${maxAgeMs / 3_600_000} hours are refused`]),
    ...(intervalMs === null ? [] : [`calls are ${intervalMs} ms apart`]),
  ];
  return `${parts.join('; ')}.`;
}

function renderApi({ tags, paths }: OpenApi): string {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'head') // As GET, without a body.
      .map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        key: keyOf(operation),
        role: roleOf(operation),
        operation,
      })),
  );
  const sections = tags.map(({ name, description }) => ({
    title: `## ${name}\n\n${description}.`,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const shown = new Map<string, string>();
  return [
    '# API',
    '<!-- Generated from docs/api/openapi.json by `npm run docs`. -->',
    'A running service serves this reference as OpenAPI 3.1 at `GET /openapi.json`; [openapi.json](../api/openapi.json) is the same document. Every error response has the one field `error`, and its code in the header `X-Service-Error` ([errors](errors.md)).',
    'A key is sent as `X-Api-Key`. *secret* is a live or test key; *live* the secret live key alone; *test* a test key, secret or publishable; *any* also a publishable one, the only kind that belongs inside an app. The admin token is sent as `Authorization: Bearer`. A *session* is the cookie of a user: it opens what names a role, to users with this role in the app or a higher one, and to operators; and `POST /v1/debug/attribution`, to viewers ([accounts](../guide/accounts.md)).',
    table(
      ['Endpoint', 'Key', 'Role', 'Summary'],
      sections.flatMap((section) =>
        section.endpoints.map(({ name, key, role, operation }) => [
          `[\`${name}\`](#${anchorOf(name)})`,
          key,
          role,
          operation.summary,
        ]),
      ),
    ),
    ...sections.flatMap((section) => [
      section.title,
      ...section.endpoints.flatMap((endpoint) => renderEndpoint(endpoint, shown)),
    ]),
    '',
  ].join('\n\n');
}

/** @param shown the first endpoint that returned each schema, so that a shape is listed once. */
function renderEndpoint({ name, key, role, operation }: Endpoint, shown: Map<string, string>): string[] {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const parts = [`### \`${name}\``, `${summary}. Key: ${key}.${role === '' ? '' : ` Role: ${role}.`}`];
  if (description !== undefined) parts.push(description);
  if (parameters.length > 0)
    parts.push(
      table(
        ['Parameter', 'Type', 'Description'],
        parameters.map((parameter) => [
          `\`${parameter.name}\` (${parameter.in}${parameter.required ? ', required' : ''})`,
          typeOf(parameter.schema),
          parameter.description ?? parameter.schema.description ?? '',
        ]),
      ),
    );
  const body = schemaOf(requestBody);
  if (body !== undefined)
    parts.push(
      body.properties === undefined
        ? `Body: ${typeOf(body)}.`
        : table(['Body field', 'Type', 'Description'], fieldsOf(body, { isRequest: true })),
    );
  for (const [status, response] of Object.entries(responses))
    if (/^[23]/.test(status)) parts.push(...renderResponse(name, status, response, shown));
  const errors = Object.keys(responses).filter((status) => /^[45]/.test(status));
  if (errors.length > 0) parts.push(`Errors: ${errors.join(', ')}.`);
  return parts;
}

function renderResponse(
  name: string,
  status: string,
  response: Operation['responses'][string],
  shown: Map<string, string>,
): string[] {
  const schema = schemaOf(response);
  const note = response.description === 'Default Response' ? '' : `: ${response.description}`;
  const shape = schema?.items ?? schema;
  if (shape === undefined || fieldsOf(shape).length === 0) return [`Response ${status}${note}.`];
  const list = schema?.items === undefined ? '' : ' a list, each item with';
  const first = shown.get(JSON.stringify(shape));
  if (first !== undefined)
    return [`Response ${status}:${list} the fields of [\`${first}\`](#${anchorOf(first)}).`];
  shown.set(JSON.stringify(shape), name);
  return [
    `Response ${status}${list === '' ? note : `:${list}`}:`,
    table(['Field', 'Type', 'Description'], fieldsOf(shape)),
  ];
}

/** A row for each field; fields of nested objects follow their object, with its name before theirs. */
function fieldsOf(schema: Schema, { isRequest = false, prefix = '' } = {}): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}${[field.type].flat().includes('array') ? '[]' : ''}`;
    const required = isRequest && schema.required?.includes(name) ? ', required' : '';
    return [
      [`\`${path}\`${required}`, typeOf(field), field.description ?? ''],
      ...fieldsOf(field.items ?? field, { isRequest, prefix: `${path}.` }),
    ];
  });
}

function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== null).map((value) => `\`${value}\``);
    return `${values.join(', ')}${values.length < schema.enum.length ? ' or null' : ''}`;
  }
  const types = [schema.type ?? 'any'].flat().map((type) => (type === 'array' ? listOf(schema) : type));
  return [types.join(' or '), ...boundsOf(schema)].join(', ');
}

function listOf({ items }: Schema): string {
  const item = items === undefined ? 'any' : items.properties === undefined ? typeOf(items) : 'object';
  return item.startsWith('`') ? `list of: ${item}` : `list of ${item}`;
}

function boundsOf(schema: Schema): string[] {
  const { format, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  return [
    format ?? '',
    between(minLength, maxLength, ' characters'),
    between(minimum, maximum, ''),
    between(minItems, maxItems, ' items'),
    schema.default === undefined ? '' : `default \`${schema.default}\``,
  ].filter((text) => text !== '');
}

function between(min: number | undefined, max: number | undefined, unit: string): string {
  const most = max === undefined || max === Number.MAX_SAFE_INTEGER ? undefined : max.toLocaleString('en-US');
  if (min === 1 && most === undefined && unit !== '') return 'not empty';
  const least = min?.toLocaleString('en-US');
  if (least === undefined) return most === undefined ? '' : `at most ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
}

function keyOf({ security = [], requestBody }: Operation): string {
  const [{ adminToken, apiKey: [kind] = [], session } = {}] = security;
  if (adminToken !== undefined) return 'admin token';
  if (session !== undefined) return 'session';
  if (kind !== undefined) return kind;
  return schemaOf(requestBody)?.properties?.apiKey === undefined ? 'none' : 'secret, in the body';
}

function roleOf({ security = [] }: Operation): string {
  return security.flatMap(({ session = [] }) => session).join();
}

function schemaOf(content: Content | undefined): Schema | undefined {
  return Object.values(content?.content ?? {})[0]?.schema;
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main) for (const [path, text] of Object.entries(generateDocs())) writeFileSync(path, text);
