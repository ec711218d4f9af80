import { type Static, type TSchema, Type } from 'typebox';

export function Nullable<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  const { type } = schema as unknown as { type: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, ...options, type: [type, 'null'] });
}

/** @param rule completes the error text “<field> must be …”. */
export function Text(pattern: string, rule: string, options: { default?: string } = {}) {
  return Type.String({ pattern, description: rule, ...options });
}

export function JsonObject(options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });
}

/** Case-insensitive in requests: a handler lowercases it before it looks it up. */
export const Id = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601' });

const ErrorBody = Type.Object(
  {
    error: Type.String({
      description: 'The cause and what to do next; the code is in the header X-Service-Error.',
    }),
  },
  { description: 'An error' },
);

/** Response schemas of errors, by status. */
export function errorResponses<S extends number>(...statuses: S[]): Record<S, typeof ErrorBody> {
  return Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as Record<S, typeof ErrorBody>;
}

export const NoContent = Type.Null({ description: 'Done; no body' });
