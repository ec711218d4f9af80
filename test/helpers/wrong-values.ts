/** Derives the fields of a schema and invalid JSON for each. */
import { type Schema, sampleOf, typesOf } from './operations.ts';

interface FieldAt {
  /** From the body to the field. */
  readonly path: readonly string[];
  readonly field: Schema;
  readonly required: boolean;
}

export function fieldsOf(schema: Schema, path: readonly string[] = []): FieldAt[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { path: [...path, name], field, required: schema.required?.includes(name) ?? false },
    ...fieldsOf(field, [...path, name]),
    ...(field.items?.type === undefined
      ? []
      : [{ path: [...path, name, '0'], field: field.items, required: false }]),
  ]);
}

/** The field name that a message must contain: for an item, the name of its list. */
export function nameOf({ path }: FieldAt): string {
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}

/** The JSON text of `body` with one field replaced by this text, or omitted if it is null. */
export function textWith(body: unknown, path: readonly string[], value: string | null): string {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parents = path.slice(0, -1);
  const last = path.at(-1) ?? '';
  const place = parents.reduce((object, name) => object[name] as Record<string, unknown>, copy);
  if (value === null) delete place[last];
  else place[last] = '(here)';
  return JSON.stringify(copy).replace('"(here)"', () => value ?? '');
}

const OF_TYPE: Record<string, readonly string[]> = {
  string: ['"text"', '"1"', '"true"'],
  number: ['1', '0', '-0', '1e400', '-1e400'],
  boolean: ['true', 'false'],
  null: ['null'],
  array: ['[]', '["a"]'],
  object: ['{}', '{"a":1}', '{"length":1}'],
};

export function wrongValuesOf({ path, field }: FieldAt): string[] {
  const types = typesOf(field).map((type) => (type === 'integer' ? 'number' : type));
  const ofOtherTypes = Object.entries(OF_TYPE).flatMap(([type, values]) =>
    types.length === 0 || types.includes(type) ? [] : values,
  );
  if (types.includes('number')) ofOtherTypes.push('1e400', '-1e400');
  if (typesOf(field).includes('integer')) ofOtherTypes.push('1.5');
  const name = path.at(-1) ?? '';
  const beyond = [...beyondBounds(field, name), ...wrongByForm(field, name)];
  return [...ofOtherTypes, ...beyond.map((value) => JSON.stringify(value))];
}

function beyondBounds(field: Schema, name: string): unknown[] {
  const wrong: unknown[] = [];
  if (field.minLength !== undefined) wrong.push('x'.repeat(field.minLength - 1));
  if (field.maxLength !== undefined) wrong.push('x'.repeat(field.maxLength + 1));
  if (field.minimum !== undefined) wrong.push(field.minimum - 1, -1e300);
  if (field.maximum !== undefined) wrong.push(field.maximum + 1, 1e300);
  if (field.maxItems !== undefined)
    wrong.push(Array.from({ length: field.maxItems + 1 }, () => sampleOf(field.items ?? {}, name)));
  return wrong;
}

const NO_DATES = [
  '',
  'yesterday',
  '2026-01-02',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '1767322800',
];
const NO_ADDRESSES = [
  ...['', 'x', '/x', '//example.com/x', 'https://', 'https://exa mple.com/', 'https://example.com/\n'],
  ...['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com', 'file:///x', 'intent://x#Intent;end'],
  `https://example.com/${'x'.repeat(2_048)}`,
];

function wrongByForm(field: Schema, name: string): string[] {
  const sample = String(sampleOf(field, name));
  return [
    ...(field.enum === undefined ? [] : ['other', '']),
    ...(field.pattern === undefined ? [] : unlike(field.pattern, ['é !', '', '\n', `${sample}\n`])),
    ...(field.format === 'uuid'
      ? ['', 'x', `urn:uuid:${sample}`, `{${sample}}`, sample.replaceAll('-', '')]
      : []),
    ...(field.format === 'date-time' ? NO_DATES : []),
    ...(name === 'platform' ? ['', 'WINDOWS', 'IOS '] : []),
    ...(/Destination$|^fallbackUrl$|^(expired|root|notFound)Url$|^ogImage$/.test(name) ? NO_ADDRESSES : []),
  ];
}

/** The values that the pattern refuses. */
function unlike(pattern: string, values: readonly string[]): string[] {
  return values.filter((value) => !new RegExp(pattern, 'u').test(value));
}
