import { isDeepStrictEqual } from 'node:util';
import type { ValueChange } from '../audit/index.ts';
import { truncateUtf8 } from '../lib/text.ts';
import type { LinkRow } from './link.ts';
import { presentLink } from './schemas.ts';

/** Of a text in the audit log, in UTF-8. */
const MAX_VALUE_BYTES = 512;

/**
 * The fields of a link that a change alters, as the API names them, with both values. Objects have names alone: a change
 * may remove from them what should not have been there.
 * @param columns undefined for a column that does not change.
 */
export function changedValues(
  link: LinkRow,
  columns: { readonly [Column in keyof LinkRow]?: LinkRow[Column] | undefined },
): Record<string, ValueChange> {
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const before: Readonly<Record<string, unknown>> = presentLink('', link);
  const after = presentLink('', { ...link, ...given });
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, to]) => !isDeepStrictEqual(before[name], to))
      .map(([name, to]) => [name, toChange(before[name], to)]),
  );
}

function toChange(from: unknown, to: unknown): ValueChange {
  const isObject = typeof to === 'object' && to !== null;
  return isObject ? {} : { from: shorten(from), to: shorten(to) };
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const kept = truncateUtf8(value, MAX_VALUE_BYTES);
  return kept.length < value.length ? `${kept}…` : value;
}
