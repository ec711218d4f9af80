/** Which column becomes which field, where the user may change the guess. Pure. */

/** Column by its place: the field; null for a column that is not read. */
export type Mapping = readonly (string | null)[];

interface HeadColumn {
  readonly name: string;
  readonly field: string | null;
}

/** The guess of the service, in which the first column of a field has it. */
export function guessOf(columns: readonly HeadColumn[]): Mapping {
  const fields = columns.map(({ field }) => field);
  return fields.map((field, index) => (field !== null && fields.indexOf(field) < index ? null : field));
}

/** Gives a column its field, and takes it from the column that had it. */
export function withField(mapping: Mapping, column: number, field: string | null): Mapping {
  return mapping.map((own, index) => (index === column ? field : own === field ? null : own));
}

/** Groups of fields of which none has a column. */
export function missingOf<T extends readonly string[]>(mapping: Mapping, required: readonly T[]): T[] {
  return required.filter((group) => !group.some((field) => mapping.includes(field)));
}

/**
 * As the API takes it; null where it is the service's own guess, which also warns of columns that it does not know.
 * @param isRefused whether the service refuses the file with its own guess.
 */
export function columnsText(
  mapping: Mapping,
  columns: readonly HeadColumn[],
  isRefused: boolean,
): string | null {
  const guess = guessOf(columns);
  if (!isRefused && mapping.every((field, index) => field === guess[index])) return null;
  const chosen = mapping.flatMap((field, index) => {
    const name = columns[index]?.name;
    return field === null || name === undefined ? [] : [[field, name] as const];
  });
  return JSON.stringify(Object.fromEntries(chosen));
}
