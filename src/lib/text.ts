/** Copies a string: V8's `slice` keeps the whole source string in memory, which matters for cache keys. */
export function detachString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

export function truncate(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : detachString(text.slice(0, maxCharacters));
}

const encoder = new TextEncoder();

/** Cuts at a whole character, to at most `maxBytes` in UTF-8. */
export function truncateUtf8(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(maxBytes)).read);
}
