/** What TypeScript's library does not know yet of “JSON.parse source text access” (ECMAScript 2026), which Node has. */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/**
 * Parses JSON such that every number is written again as it came: in JavaScript's own form, ids of networks would lose
 * their last digits. Such a number is an object that only `JSON.stringify` can read.
 */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) => {
    const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source;
    return isChanged ? exactJson.rawJSON(source) : value;
  });
}
