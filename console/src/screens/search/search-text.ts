/** What a typed or pasted text may name; pure. */

/** The most that the service searches for. */
const MAX_CHARACTERS = 255;

/** The text itself, and the code of the short link whose address it is. Only the first can be a user's id. */
export function wantedBy(text: string): string[] {
  const whole = text.trim();
  const code = codeIn(whole);
  return [...new Set([whole, ...(code === null ? [] : [code])])].filter(
    (each) => each !== '' && each.length <= MAX_CHARACTERS,
  );
}

/** Of `https://go.example.com/l/CODE?x=1`, of `go.example.com/l/CODE`, or of `/CODE` as the console writes it. */
function codeIn(text: string): string | null {
  const path =
    /^(?:https?:\/\/[^/?#]+)?\/([^?#]*)/i.exec(text)?.[1] ?? /^[^\s/?#]+\/(l\/[^?#]*)/i.exec(text)?.[1];
  const segments = (path ?? '').split('/').filter((segment) => segment !== '');
  const code = segments[segments.indexOf('l') + 1] ?? segments.at(-1);
  return code === undefined ? null : decoded(code);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
