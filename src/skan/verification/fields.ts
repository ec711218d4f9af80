/** Fields of a postback, read with the JSON types that Apple gives them: nothing is converted. */

/** A JSON object that a stranger sent: any field may be of any type. */
export type Fields = Readonly<Record<string, unknown>>;
export type FieldType = 'string' | 'integer' | 'boolean';

/** Stands between the values that SKAdNetwork signs; within one of them it would shift the others. */
export const SEPARATOR = '\u2063';
/** Several times what Apple sends. */
const MAX_CHARACTERS = 255;

const RULES: Readonly<Record<FieldType, string>> = {
  string: `a string of 1 to ${MAX_CHARACTERS} characters, without U+2063`,
  integer: 'an integer',
  boolean: 'true or false',
};

/** Null where the field is not there or not of its type, as with the next two. */
export function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return isOfType(value, 'string') ? (value as string) : null;
}

export function integerOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  return isOfType(value, 'integer') ? (value as number) : null;
}

export function booleanOf(fields: Fields, name: string): boolean | null {
  const value = fields[name];
  return isOfType(value, 'boolean') ? (value as boolean) : null;
}

/** What is wrong with a field, as a sentence; null where nothing is. */
export function faultOf(fields: Fields, name: string, type: FieldType): string | null {
  if (fields[name] === undefined) return `${name} is missing.`;
  return isOfType(fields[name], type) ? null : `${name} must be ${RULES[type]}.`;
}

function isOfType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= 1 &&
        value.length <= MAX_CHARACTERS &&
        !value.includes(SEPARATOR)
      );
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
  }
}
