/** Gives the schemas of an OpenAPI document names, which become the types of generated clients. */
import { isDeepStrictEqual } from 'node:util';

export const SCHEMAS = '#/components/schemas/';

/** The keyword of the schema that the document has in place of one for the serializer. */
export const DESCRIBED_AS = 'x-described-as';

type Json = Readonly<Record<string, unknown>>;

/** Hold values of the API, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example', 'examples']);

/**
 * Moves each schema with a `title` to `schemas`, and leaves a reference. Routes keep whole schemas, from which their
 * validators and serializers are compiled. Descriptions and defaults belong to the place, not to the named schema.
 */
export function nameSchemas<T>(part: T, schemas: Record<string, unknown>): T {
  return visit(part, schemas) as T;
}

function visit(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => visit(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  if (DESCRIBED_AS in value) {
    const { [DESCRIBED_AS]: described, description } = value as Json;
    return visit({ ...(described as object), ...(description !== undefined && { description }) }, schemas);
  }
  const visited = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, VALUES.has(key) ? part : visit(part, schemas)]),
  );
  const schema = forGenerators(visited);
  // In `properties`, a field named title is an object.
  return typeof schema.title === 'string' ? toReference(schema.title, schema, schemas) : schema;
}

/** Says in the usual words what TypeBox says in others: generators of clients do not know all. */
function forGenerators(schema: Json): Json {
  if (Array.isArray(schema.enum) && schema.type === undefined) return { type: 'string', ...schema };
  const { patternProperties, ...rest } = schema;
  const anyName = (patternProperties as Json | undefined)?.['^.*$'];
  return anyName === undefined ? schema : { ...rest, additionalProperties: anyName };
}

function toReference(name: string, schema: Json, schemas: Record<string, unknown>): Json {
  const { title: _name, description, default: fallback, ...named } = schema;
  const isNullable = Array.isArray(named.type) && named.type.includes('null');
  const shape = isNullable ? withoutNull(named) : named;
  if (schemas[name] !== undefined && !isDeepStrictEqual(schemas[name], shape))
    throw new Error(`Two different schemas have the title ${name}. Rename one of them.`);
  schemas[name] = shape;
  const reference = { $ref: `${SCHEMAS}${name}` };
  return {
    ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function withoutNull(schema: Json): Json {
  const types = (schema.type as readonly string[]).filter((type) => type !== 'null');
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(schema.enum) && { enum: schema.enum.filter((value) => value !== null) }),
  };
}
