import type { Field } from './message.ts';
import type { Value } from './values.ts';

/** How much a platform takes, in characters as they are sent. */
export interface Limits {
  readonly fields: number;
  readonly label: number;
  readonly value: number;
  /** Of all labels and values together. */
  readonly total: number;
}

/** A field of which less than this would be left is not worth its place. */
const SHORTEST_VALUE = 20;

/** How a platform writes texts and times. */
export interface Spelling {
  escapeText(text: string): string;
  /** In markup of its own where it has one; neither escaped nor cut. */
  spellTime(unixSeconds: number): string;
}

/** The fields in their order as far as there is room, as they are sent, and how many found none. */
export function fit(
  fields: readonly Field[],
  limits: Limits,
  { escapeText, spellTime }: Spelling,
): { fields: Field[]; omitted: number } {
  const fitting: Field[] = [];
  let left = limits.total;
  for (const field of fields.slice(0, limits.fields)) {
    const label = clip(field.label, limits.label, escapeText);
    const room = Math.min(limits.value, left - label.length);
    if (room < SHORTEST_VALUE) break;
    const fitted = fitTime(field, room, spellTime) ?? { value: clip(field.value, room, escapeText) };
    left -= label.length + fitted.value.length;
    fitting.push({ label, ...fitted });
  }
  return { fields: fitting, omitted: fields.length - fitting.length };
}

/** Null where it is no time, or too long: it is cut as text then. */
function fitTime({ unixSeconds }: Field, room: number, spellTime: Spelling['spellTime']): Value | null {
  if (unixSeconds === undefined) return null;
  const value = spellTime(unixSeconds);
  return value.length <= room ? { value, unixSeconds } : null;
}

/** One character grows to five at most: `&amp;`. */
const LONGEST_ESCAPE = 5;

/**
 * The text escaped, at most `max` characters of it, the last an ellipsis where something is missing. It is cut before
 * it is escaped, so that no escape sequence is cut in half.
 */
export function clip(text: string, max: number, escapeText = (plain: string) => plain): string {
  if (text.length <= max) {
    const whole = escapeText(text);
    if (whole.length <= max) return whole;
  }
  let kept = text.slice(0, max);
  for (;;) {
    const clipped = escapeText(`${kept.replace(HALF_A_PAIR, '').trimEnd()}…`);
    const excess = clipped.length - max;
    if (excess <= 0) return clipped;
    kept = kept.slice(0, -Math.ceil(excess / LONGEST_ESCAPE));
  }
}

const HALF_A_PAIR = /[\ud800-\udbff]$/;

/** A text that may mention somebody in angle brackets: a mention that is cut goes altogether. */
export function clipMentions(text: string, max: number): string {
  return text.length <= max ? text : clip(text, max).replace(/<[^<>]*…$/, '…');
}

/** What is said of fields that found no room. */
export function describeOmitted(omitted: number): string {
  return omitted === 1 ? '1 more field' : `${omitted} more fields`;
}
