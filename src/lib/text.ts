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

/** Cuts at a whole character, and copies: see `detachString`. */
export function truncateWell(text: string, maxCharacters: number): string {
  const cut = truncate(text, maxCharacters);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

/** Tested first, since that takes a third of the time. */
const BEYOND_ASCII_TEXT = /[^ -~]/;
const CONTROLS = /\p{Cc}+/gu;

/** JSON writes a control character in six bytes, and PostgreSQL stores no NUL. */
export function withoutControls(text: string): string {
  return BEYOND_ASCII_TEXT.test(text) ? text.replace(CONTROLS, '') : text;
}

/** Control characters, and line and paragraph separators. */
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Bidirectional embeddings, overrides and isolates; the implicit marks U+200E and U+200F stay. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** Control, format (bidirectional, zero-width) and private characters, and separators of lines: what nobody sees. */
const UNSEEN = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}';
/** Of what people name and others read in lists, mails and the audit log. */
export const NAME_PATTERN = `^[^${UNSEEN}]*$`;
const ALL_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

/** A name from elsewhere, as `NAME_PATTERN` takes it. */
export function toName(text: string): string {
  return oneLine(text).replace(ALL_UNSEEN, '').trim();
}

/** A text that others wrote, without what would change the lines or the direction of the text around it. */
export function oneLine(text: string): string {
  return text.replace(BREAKS, ' ').replace(BIDI_CONTROLS, '').trim();
}

/** For texts that count as the same whatever the capitals and the form of their letters. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
