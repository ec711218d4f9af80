import { type Static, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox';
import { NAME_PATTERN } from '../lib/text.ts';
import { DESCRIBED_AS } from './named-schemas.ts';

/** An object that clients know by this name: it becomes `#/components/schemas/<name>` in the OpenAPI document. */
export function Named<P extends TProperties>(name: string, properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { ...options, title: name });
}

/** Parameters of a query, none but these: a misspelt filter would list, count and export everything. */
export function OnlyThese<P extends TProperties>(parameters: P) {
  return Type.Object(parameters, { additionalProperties: false });
}

export function Nullable<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  const { type = 'string', enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    ...options,
    type: [type, 'null'],
    ...(values !== undefined && { enum: [...values, null] }),
  });
}

/** @param rule completes the error text “<field> must be …”. */
export function Text(
  pattern: string,
  rule: string,
  options: { default?: string; minLength?: number; maxLength?: number } = {},
) {
  return Type.String({ pattern, description: rule, ...options });
}

/** What people call a thing that others see: a user, a key, an app. */
export function NameText(maxLength: number) {
  const rule = `1 to ${maxLength} characters that people see, without line breaks, bidirectional and zero-width characters`;
  return Text(NAME_PATTERN, rule, { minLength: 1, maxLength });
}

export function JsonObject(options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });
}

/** Sent as it is stored, with whatever fields; described as `schema`. */
export function SentAsIs<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  return Type.Unsafe<Static<T>>({ ...JsonObject(options), [DESCRIBED_AS]: schema });
}

/** Case-insensitive in requests: a handler lowercases it before it looks it up. */
export const Id = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601' });

/** Optional, and null or 0 if it is unknown. */
export function Seconds(description: string) {
  const seconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
  return Type.Optional(Nullable(seconds, { description }));
}

const ErrorBody = Named(
  'Error',
  {
    error: Type.String({
      description: 'The cause and what to do next; the code is in the header X-Service-Error.',
    }),
  },
  { description: 'An error' },
);

/** Of an item of a batch that failed. */
export const ErrorCode = Type.Optional(
  Type.String({ description: 'Of the error, as in the header X-Service-Error of a single call' }),
);

/** Response schemas of errors, by status. */
export function errorResponses<S extends number>(...statuses: S[]): Record<S, typeof ErrorBody> {
  return Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as Record<S, typeof ErrorBody>;
}

/** A response that callers get in other formats by `Accept`. The handler sends those past the serializer of `schema`. */
export function JsonOr<T extends TSchema>(schema: T, ...textTypes: string[]) {
  const texts = textTypes.map((type) => [type, { schema: { type: 'string' } }]);
  const content = { 'application/json': { schema }, ...Object.fromEntries(texts) };
  return Type.Unsafe<Static<T>>({ description: 'JSON, or the format of the header Accept', content });
}

export const NoContent = Type.Null({ description: 'Done; no body' });
