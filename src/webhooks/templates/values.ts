/** How a field's raw value is to be read; without one it is shown as it is. */
export type Form = 'time' | 'platform' | 'json';

/** A value as people read it, not yet escaped: one line, or a line for each property. */
export interface Value {
  readonly value: string;
  /** Where it is a time, which platforms show by the reader's own clock. */
  readonly unixSeconds?: number;
}

/** Null and undefined become an empty text, and what is not of its form is shown as it is. */
export function toValue(raw: unknown, form?: Form): Value {
  const value = toLine(toText(raw));
  if (form === 'time') return toTime(value);
  if (form === 'platform') return { value: PLATFORMS.get(value.toLowerCase()) ?? value };
  return { value: form === 'json' ? (toLines(raw) ?? value) : value };
}

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ['ios', 'iOS'],
  ['android', 'Android'],
]);

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** One line of visible text: nothing in it breaks the line, turns the direction of reading, or is blank and not empty. */
export function toLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Bidi_Control}\u200b\u2060\ufeff]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(line) ? '' : line;
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(['', '{}', '[]']);

/** Messages leave it out. */
export function saysNothing(value: string): boolean {
  return SAYS_NOTHING.has(value);
}

/** `Date` reads far more than our own times, so whatever is spelled otherwise stays text. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function toTime(value: string): Value {
  const ms = ISO_TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return { value };
  const unixSeconds = Math.floor(ms / 1_000);
  return { value: toUtc(unixSeconds), unixSeconds };
}

/** Such as `20 Nov 2026, 10:08 UTC`. */
export function toUtc(unixSeconds: number): string {
  const text = new Date(unixSeconds * 1_000).toUTCString();
  return `${text.slice(5, 16)}, ${text.slice(17, 22)} UTC`;
}

/** More find no room in any message. */
const MAX_LINES = 400;

/** `key: value`, a line for each property that says something; null where it is no JSON object. */
function toLines(json: unknown): string | null {
  const properties = parseObject(json);
  if (properties === null) return null;
  return Object.entries(properties)
    .slice(0, MAX_LINES)
    .map(([key, raw]) => ({ key: toLine(key) || '?', value: toLine(toText(raw)) }))
    .filter(({ value }) => !saysNothing(value))
    .map(({ key, value }) => `${key}: ${value}`)
    .join('\n');
}

function parseObject(json: unknown): object | null {
  try {
    const parsed: unknown = JSON.parse(String(json));
    return typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
