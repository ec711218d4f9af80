/** Reads fields of a postback with the JSON types that Apple documents, without conversion. */

/** An untrusted JSON object: any field may have any type. */
export type Fields = Readonly<Record<string, unknown>>;

interface FieldTypes {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
}
export type FieldType = keyof FieldTypes;

/** Joins the values that SKAdNetwork signs, so no value may contain it. */
export const SEPARATOR = '\u2063';
/** Several times Apple's longest. */
const MAX_CHARACTERS = 255;

const RULES: Readonly<Record<FieldType, string>> = {
  string: `a string of 1 to ${MAX_CHARACTERS} characters, without U+2063`,
  integer: 'an integer',
  boolean: 'true or false',
};
const CHECKS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) =>
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= MAX_CHARACTERS &&
    !value.includes(SEPARATOR),
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
};

/** @returns null if the field is missing or has another type. */
export function readField<T extends FieldType>(fields: Fields, name: string, type: T): FieldTypes[T] | null {
  const value = fields[name];
  return CHECKS[type](value) ? (value as FieldTypes[T]) : null;
}

/** @returns the fault of a field as a sentence; null for a valid field. */
export function faultOf(fields: Fields, name: string, type: FieldType): string | null {
  if (fields[name] === undefined) return `${name} is missing.`;
  return CHECKS[type](fields[name]) ? null : `${name} must be ${RULES[type]}.`;
}
