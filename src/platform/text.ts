/**
 * The same text by itself: V8's `slice` keeps the whole text it was cut from, and what is remembered by such a key would
 * be many times as long as it looks.
 */
export function apart(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The first characters of a text, apart from the rest. */
export function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : apart(text.slice(0, maxCharacters));
}

const encoder = new TextEncoder();

/** The first whole characters of a text that take at most `maxBytes` in UTF-8. */
export function firstBytes(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(maxBytes)).read);
}
