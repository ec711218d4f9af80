/** Pairs that people type one a line: `Authorization: Bearer abc`, `level_up = Level`. Pure. */

/** What has no separator has an empty value, which the service refuses by name. */
export function parseLines(text: string, separator: ':' | '='): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

export function linesOf(pairs: Readonly<Record<string, string>> | undefined, separator: ':' | '='): string {
  const between = separator === ':' ? ': ' : ' = ';
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');
}
