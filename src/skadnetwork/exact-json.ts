/** Types of “JSON.parse source text access” (ECMAScript 2026), which TypeScript's library lacks. */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/**
 * Parses JSON so that `JSON.stringify` writes every number as in the source: large ids would lose their last digits. A
 * number that differs in JavaScript becomes an opaque object.
 */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) => {
    const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source;
    return isChanged ? exactJson.rawJSON(source) : value;
  });
}
