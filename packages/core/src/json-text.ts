/** Measures JSON as the service does, fast for the common text: engines of phones are slow at loops. */
import { MAX_DEPTH } from './limits.ts';

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?:[^\ud800-\udbff]|^)[\udc00-\udfff]/;

/** Whether JSON has only characters of one byte, none of them escaped, and no field that JavaScript treats apart. */
export function isPlain(json: string): boolean {
  return !/[\\\u0080-\uffff]/.test(json) && !json.includes('"__proto__":');
}

/** For messages; of any value. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : `a value of type ${typeof value}`;
}

/** @returns the number of bytes in UTF-8. */
export function byteLength(text: string): number {
  if (!/[\u0080-\uffff]/.test(text)) return text.length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Half of a surrogate pair, which takes four bytes.
    if (code >= 0xd800 && code <= 0xdfff) bytes += 1;
    else if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}

/** @returns how often a character occurs, in texts too. */
export function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Whether the service stores a text: it has no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !HALF_PAIR.test(text);
}

/** The same of all texts in JSON, where engines escape such characters. */
export function holdsStorableTexts(json: string): boolean {
  return isStorable(json) && !/\\u(?:0000|d[89a-f])/i.test(json.replace(/\\\\/g, ''));
}

/** @returns the levels of objects and lists. */
function depthOf(json: string): number {
  const brackets = json.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '');
  let depth = 0;
  let deepest = 0;
  for (const bracket of brackets) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Also copies: the app may change the object before it is sent. @returns its JSON, or why the service would refuse it. */
export function toJson(what: string, object: object, maxBytes: number): string | { readonly fault: string } {
  let json: string | undefined;
  try {
    json = JSON.stringify(object);
  } catch (cause) {
    return { fault: `${what} are not JSON: ${cause}` };
  }
  if (json?.[0] !== '{') return { fault: `${what} must be an object` };
  // A character has at most three bytes for each of its units.
  const bytes = json.length * 3 <= maxBytes ? 0 : byteLength(json);
  if (bytes > maxBytes) return { fault: `${what} have ${bytes} bytes as JSON, more than ${maxBytes}` };
  // One level is what the object is sent in.
  if (count(json, '{') + count(json, '[') >= MAX_DEPTH && depthOf(json) >= MAX_DEPTH)
    return { fault: `${what} have more than ${MAX_DEPTH - 1} levels` };
  return json;
}
