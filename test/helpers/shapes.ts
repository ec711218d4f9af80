/** Field types as in the tables of the contract, and the format of errors. */
import assert from 'node:assert/strict';
import type { Answer } from './world.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const is = {
  string: (value: unknown) => typeof value === 'string',
  uuid: (value: unknown) => typeof value === 'string' && UUID.test(value),
  timestamp: (value: unknown) =>
    typeof value === 'string' && ISO_8601.test(value) && !Number.isNaN(Date.parse(value)),
  int: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: (value: unknown) => Array.isArray(value),
  'string[]': (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};
type PlainType = keyof typeof is;
export type FieldType = PlainType | `${PlainType} or null`;

/** One row of a table of returned fields. */
export type FieldRow = readonly [name: string, type: FieldType];

/** Asserts that the field exists and has the expected type. */
export function assertField(record: unknown, [name, type]: FieldRow): void {
  assert.ok(is.object(record), `an object with ${name}, not ${JSON.stringify(record)}`);
  const fields = record as Record<string, unknown>;
  assert.ok(name in fields, `${name} is there`);
  const value = fields[name];
  const plain = type.replace(' or null', '') as PlainType;
  const isValid = (value === null && type.endsWith(' or null')) || is[plain](value);
  assert.ok(isValid, `${name} is ${type}, not ${JSON.stringify(value)}`);
}

export function assertUuidV7(id: unknown): void {
  assert.ok(typeof id === 'string' && UUID_V7.test(id), `${String(id)} is a UUIDv7`);
}

/** The error body is one field; its code is in the header. */
export function assertError(
  answer: Answer,
  status: number,
  code?: RegExp | string,
  says?: RegExp | string,
): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.ok(typeof answer.body.error === 'string' && answer.body.error !== '');
  assert.match(String(answer.headers['x-service-error']), /^[a-z_]+(\.[a-z_]+)?$/);
  assert.ok(answer.headers['x-request-id']);
  if (code instanceof RegExp) assert.match(String(answer.headers['x-service-error']), code);
  else if (code !== undefined) assert.equal(answer.headers['x-service-error'], code);
  if (says instanceof RegExp) assert.match(answer.body.error, says);
  else if (says !== undefined)
    assert.ok(answer.body.error.includes(says), `“${answer.body.error}” names ${says}`);
}

/** A 404 for a record, as opposed to an unknown endpoint. */
export const RECORD_NOT_FOUND = /^(?!route\.)[a-z_]+\.not_found$/;

/** Invalid values for each field type. */
export const WRONG_VALUES = {
  string: [7, true, ['text'], { text: 1 }],
  object: ['text', 7, true, ['text']],
  int: ['7', 1.5, true, [7], {}],
  number: ['7', true, [7], {}],
  boolean: ['true', 1, [true], {}],
  list: ['text', 7, true, {}],
} as const satisfies Record<string, readonly unknown[]>;
export type InputType = keyof typeof WRONG_VALUES;
