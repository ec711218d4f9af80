import type { Field } from './message.ts';
import type { Value } from './values.ts';

/** A platform's limits, in characters after escaping. */
export interface Limits {
  readonly fields: number;
  readonly label: number;
  readonly value: number;
  /** All labels and values together. */
  readonly total: number;
}

/** A field is omitted if fewer characters are left for its value. */
const MIN_VALUE = 20;

/** How a platform formats text and times. */
export interface Markup {
  escapeText(text: string): string;
  /** The result is neither escaped nor cut. */
  formatTime(unixSeconds: number): string;
}

/** Escapes and cuts fields until a limit is reached. @returns the number of omitted fields too. */
export function fitFields(
  fields: readonly Field[],
  limits: Limits,
  { escapeText, formatTime }: Markup,
): { fields: Field[]; omitted: number } {
  const fitting: Field[] = [];
  let left = limits.total;
  for (const field of fields.slice(0, limits.fields)) {
    const label = clip(field.label, limits.label, escapeText);
    const max = Math.min(limits.value, left - label.length);
    if (max < MIN_VALUE) break;
    const fitted = fitTime(field, max, formatTime) ?? { value: clip(field.value, max, escapeText) };
    left -= label.length + fitted.value.length;
    fitting.push({ label, ...fitted });
  }
  return { fields: fitting, omitted: fields.length - fitting.length };
}

/** @returns null for other values, and for a time that is too long, which is cut as text. */
function fitTime({ unixSeconds }: Field, max: number, formatTime: Markup['formatTime']): Value | null {
  if (unixSeconds === undefined) return null;
  const value = formatTime(unixSeconds);
  return value.length <= max ? { value, unixSeconds } : null;
}

/** `&amp;` */
const LONGEST_ESCAPE = 5;

/** Escapes a text and cuts it to `max` characters with an ellipsis. Cuts before escaping, to keep each escape whole. */
export function clip(text: string, max: number, escapeText = (plain: string) => plain): string {
  if (text.length <= max) {
    const whole = escapeText(text);
    if (whole.length <= max) return whole;
  }
  let kept = text.slice(0, max);
  for (;;) {
    const clipped = escapeText(`${kept.replace(LONE_SURROGATE, '').trimEnd()}…`);
    const excess = clipped.length - max;
    if (excess <= 0) return clipped;
    kept = kept.slice(0, -Math.ceil(excess / LONGEST_ESCAPE));
  }
}

const LONE_SURROGATE = /[\ud800-\udbff]$/;

/** Cuts a text, without leaving part of a mention in angle brackets. */
export function clipMentions(text: string, max: number): string {
  return text.length <= max ? text : clip(text, max).replace(/<[^<>]*…$/, '…');
}

export function describeOmitted(omitted: number): string {
  return omitted === 1 ? '1 more field' : `${omitted} more fields`;
}
