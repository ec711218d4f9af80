import { changedValues, type ValueChange } from '../audit/index.ts';
import type { LinkRow } from './link.ts';
import { presentLink } from './schemas.ts';

/**
 * The fields of a link that a change alters, as the API names them, with both values.
 * @param columns undefined for a column that does not change.
 */
export function changedFields(
  link: LinkRow,
  columns: { readonly [Column in keyof LinkRow]?: LinkRow[Column] | undefined },
): Record<string, ValueChange> {
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const nowhere = { url: '', hasPaths: false };
  return changedValues(presentLink(nowhere, link), presentLink(nowhere, { ...link, ...given }));
}
