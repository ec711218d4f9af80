import { isDeepStrictEqual } from 'node:util';
import { truncateUtf8 } from '../lib/text.ts';
import type { ValueChange } from './change.ts';

/** Of a text, in UTF-8. */
const MAX_VALUE_BYTES = 512;

/**
 * The fields that differ, as the API names them, with both values. Objects have names alone: a change may remove from them
 * what should not have been there.
 * @param shown what the log shows of a field, such as of an address that is a secret; undefined for its name alone.
 */
export function changedValues(
  before: object,
  after: object,
  shown: (name: string, value: unknown) => unknown = (_name, value) => value,
): Record<string, ValueChange> {
  const former = before as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, to]) => !isDeepStrictEqual(former[name], to))
      .map(([name, to]) => [name, toChange(shown(name, former[name]), shown(name, to))]),
  );
}

function toChange(from: unknown, to: unknown): ValueChange {
  const isHidden = [from, to].some((value) => value === undefined || isObject(value));
  return isHidden ? {} : { from: shorten(from), to: shorten(to) };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const kept = truncateUtf8(value, MAX_VALUE_BYTES);
  return kept.length < value.length ? `${kept}…` : value;
}
