/** What narrows a page down is in its address, as plain text. */

export type Search<K extends string> = { readonly [Key in K]?: string };

/** Keeps the known parameters of an address. */
export function only<const K extends string>(
  ...keys: readonly K[]
): (search: Record<string, unknown>) => Search<K> {
  return (search) => {
    const kept: { [Key in K]?: string } = {};
    for (const key of keys) {
      const value = search[key];
      if (typeof value === 'string' && value !== '') kept[key] = value;
    }
    return kept;
  };
}

/** A parameter that is repeated has the list of its values. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (typeof each === 'string' ? [[name, each]] : [])),
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
