import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { isUuid } from '../lib/ids.ts';

// `strictNumbers` would let Infinity pass every bound.
const shared = {
  strictNumbers: false,
  useDefaults: true,
  removeAdditional: false,
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  // An error then carries its schema, whose description states the rule.
  verbose: true,
} as const;
/** Bodies are typed JSON; parameters are text and are converted, one value of a list into the list. */
const bodyAjv = withFormats(new Ajv({ ...shared, coerceTypes: false }));
const parameterAjv = withFormats(new Ajv({ ...shared, coerceTypes: 'array' }));

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  lazyValidator(httpPart === 'body' ? bodyAjv : parameterAjv, schema);

/**
 * Returns a check that gives null for a valid value, else the error text.
 * @param name of the value in the error text, where no field is at fault.
 */
export function compileCheck(schema: TSchema, name: string): (value: unknown) => string | null {
  const validate = lazyValidator(bodyAjv, schema);
  return (value) => (validate(value) ? null : describeInvalid(validate.errors ?? [], name));
}

/** Compiles at the first value: all schemas at once would delay the start by a third. */
function lazyValidator(ajv: Ajv, schema: TSchema) {
  let validate: ValidateFunction | undefined;
  function check(value: unknown): boolean {
    validate ??= ajv.compile(schema as object);
    const isValid = validate(value);
    check.errors = validate.errors;
    return isValid;
  }
  check.errors = undefined as ValidateFunction['errors'];
  return check;
}

/** Characters of a field's name that a caller chose. */
const MAX_NAME = 64;

/** The error text: the invalid field and its rule. */
export function describeInvalid(errors: readonly ErrorObject[], part: string): string {
  const error = errors[0];
  if (error === undefined) return 'Invalid request.';
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  const name = field === '' ? `The ${part}` : field;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return `${field === '' ? '' : `${field}.`}${params.missingProperty} is required.`;
    case 'additionalProperties':
      if (part === 'querystring')
        return `${String(params.additionalProperty).slice(0, MAX_NAME)} is no parameter here. The parameters are ${Object.keys(error.parentSchema?.properties ?? {}).join(', ')}.`;
      return `${field === '' ? '' : `${field}.`}${String(params.additionalProperty).slice(0, MAX_NAME)} is not a field of the ${part}.`;
    case 'type':
      if (part === 'querystring' && Array.isArray(error.data)) return `${name} must be given once.`;
      return `${name} must be ${describeTypes(params.type)}.`;
    case 'enum':
      return `${name} must be one of ${(params.allowedValues as unknown[]).map((value) => (value === '' ? 'empty' : String(value))).join(', ')}.`;
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
      return `${name} ${error.message ?? 'is invalid'}.`;
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
  // The format of ajv-formats also allows urn:uuid:….
  ajv.addFormat('uuid', isUuid);
  return ajv;
}
