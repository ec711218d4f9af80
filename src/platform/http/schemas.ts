import { type Static, type TSchema, Type } from 'typebox';

/** A field that may also be null. */
export function Nullable<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  const { type } = schema as unknown as { type: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, ...options, type: [type, 'null'] });
}

/**
 * Text of a form.
 * @param rule ends the sentence of whoever did not keep to it: “shortCode must be …”.
 */
export function Text(pattern: string, rule: string, options: { default?: string } = {}) {
  return Type.String({ pattern, description: rule, ...options });
}

/** Any JSON object. */
export function JsonObject(options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });
}

/** In any case where a caller sends it: whoever looks it up puts it into lower case. */
export const Id = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601' });

const ErrorBody = Type.Object(
  {
    error: Type.String({
      description: 'What went wrong and what to do next; the code is in the header X-Service-Error.',
    }),
  },
  { description: 'An error' },
);

/** Schemas of the error answers that a route can give, by status. */
export function errorAnswers<S extends number>(...statuses: S[]): Record<S, typeof ErrorBody> {
  return Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as Record<S, typeof ErrorBody>;
}

/** For answers of 204. */
export const NoContent = Type.Null({ description: 'Done; no body' });
