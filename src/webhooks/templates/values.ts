/** The format of a field's raw value. */
export type Format = 'time' | 'platform' | 'network' | 'flag' | 'json';

/** A readable, unescaped value: one line, or one line for each property of an object. */
export interface Value {
  readonly value: string;
  /** For a time, which platforms show in the reader's time zone. */
  readonly unixSeconds?: number;
}

/** Null and undefined become an empty text. A value that does not have its format is shown as text. */
export function toValue(raw: unknown, format?: Format): Value {
  const value = toLine(toText(raw));
  if (format === 'time') return toTime(value);
  if (format === 'platform') return { value: PLATFORMS.get(value.toLowerCase()) ?? value };
  if (format === 'network') return { value: NETWORKS.get(value) ?? value };
  if (format === 'flag') return { value: FLAGS.get(value) ?? value };
  return { value: format === 'json' ? (toLines(raw) ?? value) : value };
}

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ['ios', 'iOS'],
  ['android', 'Android'],
]);

const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['apple_ads', 'Apple Ads'],
  ['meta', 'Meta'],
  ['google_ads', 'Google Ads'],
]);

/** Only what is so has a line. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['true', 'Yes'],
  ['false', ''],
]);

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Removes line breaks, control and direction characters; text without visible characters becomes empty. */
export function toLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Bidi_Control}\u200b\u2060\ufeff]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(line) ? '' : line;
}

export function isBlank(value: string): boolean {
  return value === '' || value === '{}' || value === '[]';
}

/** Stricter than `Date.parse`: other text is not a time. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function toTime(value: string): Value {
  const ms = ISO_TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return { value };
  const unixSeconds = Math.floor(ms / 1_000);
  return { value: toUtc(unixSeconds), unixSeconds };
}

/** For example `20 Nov 2026, 10:08 UTC`. */
export function toUtc(unixSeconds: number): string {
  const text = new Date(unixSeconds * 1_000).toUTCString();
  return `${text.slice(5, 16)}, ${text.slice(17, 22)} UTC`;
}

/** More than any message can hold. */
const MAX_LINES = 400;

/** One `key: value` line for each property that is not blank; null if the text is not a JSON object. */
function toLines(json: unknown): string | null {
  const properties = parseObject(json);
  if (properties === null) return null;
  return Object.entries(properties)
    .slice(0, MAX_LINES)
    .map(([key, raw]) => ({ key: toLine(key) || '?', value: toLine(toText(raw)) }))
    .filter(({ value }) => !isBlank(value))
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
