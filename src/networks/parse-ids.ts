/** Types of “JSON.parse source text access” (ECMAScript 2026), which TypeScript's library lacks. */
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Parses JSON of a network, whose IDs may be numbers beyond what JavaScript holds exactly: these become texts. */
export function parseWithIds(text: string): unknown {
  return parse(text, (_key, value, { source }) => {
    const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
    return isInexact && source !== undefined && /^\d+$/.test(source) ? source : value;
  });
}
