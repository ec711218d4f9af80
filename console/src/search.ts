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

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
