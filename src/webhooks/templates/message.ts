import type { EventType } from '../event-types.ts';
import { clip } from './fit.ts';
import { LAYOUTS, type Layout } from './layouts.ts';

/** An event as a chat is told of it. */
export interface Notice {
  readonly type: EventType;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What every platform shows, each in its own way. Texts are one line each, and not yet escaped. */
export interface Message {
  readonly title: string;
  /** `#` and six hex digits in lower case. */
  readonly color: string;
  readonly fields: readonly Field[];
  /** One line for notifications. */
  readonly summary: string;
  readonly timestamp: string;
}

export interface Field {
  readonly label: string;
  readonly value: string;
}

const SUMMARY_FIELDS = 2;
const MAX_SUMMARY_VALUE = 100;

export function composeMessage(notice: Notice, accentColor: string | null): Message {
  const layout = LAYOUTS[notice.type];
  const title = notice.isSandbox ? `${layout.title} (Sandbox)` : layout.title;
  const fields = fieldsOf(layout, notice.data);
  return {
    title,
    color: (accentColor ?? layout.color).toLowerCase(),
    fields,
    summary: summaryOf(title, fields),
    timestamp: notice.timestamp,
  };
}

/** The fields that are known, then what else there is: postbacks carry whatever a network adds. */
function fieldsOf(layout: Layout, data: Notice['data']): Field[] {
  const labels = new Map(layout.fields);
  const others = Object.keys(data).filter((key) => !labels.has(key));
  return [...labels.keys(), ...others]
    .map((key) => ({ label: labels.get(key) ?? (toLine(key) || '?'), value: toLine(toText(data[key])) }))
    .filter(({ value }) => !SAYS_NOTHING.has(value));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(['', '{}', '[]']);

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

function summaryOf(title: string, fields: readonly Field[]): string {
  const telling = fields.slice(0, SUMMARY_FIELDS).map(({ value }) => clip(value, MAX_SUMMARY_VALUE));
  return telling.length === 0 ? title : `${title}: ${telling.join(', ')}`;
}
