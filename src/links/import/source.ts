import type { Draft } from './draft.ts';
import type { ImportSource } from './imported-row.ts';
import type { Values } from './values.ts';

/** What is known about the files of a service, and how its rows become links. */
export interface Source<Field extends string = string> {
  readonly id: ImportSource;
  readonly name: string;
  /** Names of columns and JSON keys by field, compared as `nameKey` makes them. */
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  /** A file has at least one field of each group. */
  readonly required: readonly (readonly NoInfer<Field>[])[];
  /** Names that a link needs nothing of. */
  readonly unread: readonly string[];
  /** Names of columns about people: they are not kept in the report either. */
  readonly people: readonly string[];
  /** Keys that lead to the links in an answer of the API. */
  readonly pages: readonly string[];
  /**
   * Fills in what the row says.
   * @throws RowFailure for a row that must not become a link.
   */
  fill(draft: Draft, values: Values<Field>): void;
}

export function defineSource<const Field extends string>(source: Source<Field>): Source {
  return source as unknown as Source;
}

/** Letters and digits alone: `Short link`, `short_link` and `shortLink` are one name. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name;
}
