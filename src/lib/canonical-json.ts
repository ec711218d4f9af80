/** JSON with sorted fields: the same for values that differ in the order of their fields only. */
export function canonicalJson(value: unknown): string {
  const sorted = (_key: string, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(value, sorted) ?? '';
}
