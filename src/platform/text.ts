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
