/**
 * The first characters of a text, as a text of its own: V8's `slice` keeps the whole text it was cut from, and what is
 * remembered by such a key would be many times as long as it looks.
 */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return Buffer.from(text.slice(0, maxCharacters), 'utf16le').toString('utf16le');
}
