import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { isUuid } from '../ids.ts';

// Not `strictNumbers`: it lets what is infinite pass every bound.
const shared = {
  strictNumbers: false,
  useDefaults: true,
  removeAdditional: false,
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  // An error then carries the schema that it failed, which can word its rule.
  verbose: true,
} as const;
/** JSON has types of its own, so a body is taken as it is; what stands in an address is text and is converted. */
const bodyAjv = withFormats(new Ajv({ ...shared, coerceTypes: false }));
const addressAjv = withFormats(new Ajv({ ...shared, coerceTypes: true }));

/** The framework asks it once for each part of a request that a route has a schema for. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodyAjv : addressAjv).compile(schema as object);

/**
 * A check of one value outside a request's own schema: null when it is valid, else a sentence that names the field.
 * @param what the value is, where all of it is at fault: `event`.
 */
export function compileCheck(schema: TSchema, what: string): (value: unknown) => string | null {
  const validate = bodyAjv.compile(schema as object);
  return (value) => (validate(value) ? null : describeInvalid(validate.errors ?? [], what));
}

/** Says which field is wrong and what it takes. */
export function describeInvalid(errors: readonly ErrorObject[], part: string): string {
  const error = errors[0];
  if (error === undefined) return 'The request is not valid.';
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const name = field === '' ? `The ${part}` : field;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return `${field === '' ? '' : `${field}.`}${params.missingProperty} is required.`;
    case 'type':
      return `${name} must be ${describeTypes(params.type)}.`;
    case 'enum':
      return `${name} must be one of ${(params.allowedValues as unknown[]).map((value) => String(value)).join(', ')}.`;
    case 'pattern':
      return `${name} must be ${error.parentSchema?.description ?? `of the form ${params.pattern}`}.`;
    case 'format':
      return `${name} must be a valid ${params.format}.`;
    case 'minLength':
      return params.limit === 1
        ? `${name} must not be empty.`
        : `${name} must have at least ${params.limit} characters.`;
    case 'maxLength':
      return `${name} must have at most ${params.limit} characters.`;
    case 'minimum':
      return `${name} must be at least ${params.limit}.`;
    case 'maximum':
      return `${name} must be at most ${params.limit}.`;
    case 'maxItems':
      return `${name} must have at most ${params.limit} items.`;
    case 'minItems':
      return `${name} must have at least ${params.limit} items.`;
    default:
      return `${name} ${error.message ?? 'is not valid'}.`;
  }
}

function describeTypes(types: unknown): string {
  const list = Array.isArray(types) ? types : [types];
  const withArticle = list.map((type) =>
    type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`,
  );
  return withArticle.join(' or ');
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['date-time']);
  // The usual format also takes urn:uuid:…, which is no identifier of a record.
  ajv.addFormat('uuid', isUuid);
  return ajv;
}
