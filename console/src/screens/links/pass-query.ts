/** Names of the parameters that a tap carries on. */

export const USUAL_PASS_QUERY: readonly string[] = ['utm_*'];

export function isUsualPassQuery(names: readonly string[]): boolean {
  return names.length === USUAL_PASS_QUERY.length && names.every((name) => USUAL_PASS_QUERY.includes(name));
}

/** Of a text with commas or spaces between the names. */
export function passQueryTyped(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}
