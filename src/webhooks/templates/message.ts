import type { EventType } from '../webhook.ts';
import { clip } from './fit.ts';
import { LAYOUTS, type Layout } from './layouts.ts';
import { isBlank, toLine, toValue, type Value } from './values.ts';

/** The parts of an event that a chat message shows. */
export interface Notice {
  readonly type: EventType;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message before a platform formats it. Texts are unescaped; only values may have several lines. */
export interface Message {
  readonly title: string;
  /** `#` and six hex digits in lower case. */
  readonly color: string;
  readonly fields: readonly Field[];
  /** One line for notifications. */
  readonly summary: string;
  readonly timestamp: string;
}

export interface Field extends Value {
  readonly label: string;
}

const SUMMARY_FIELDS = 2;
const MAX_SUMMARY_VALUE = 100;

/** Leaves out blank fields. @param accentColor null uses the event's colour. */
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

/** Known fields come first. A postback may have any other fields, which follow. */
function fieldsOf(layout: Layout, data: Notice['data']): Field[] {
  const known = new Set(layout.fields.map(([key]) => key));
  const others = Object.keys(data).filter((key) => !known.has(key));
  return [
    ...layout.fields.map(([key, label, format]) => ({ label, ...toValue(data[key], format) })),
    ...others.map((key) => ({ label: toLine(key) || '?', ...toValue(data[key]) })),
  ].filter(({ value }) => !isBlank(value));
}

function summaryOf(title: string, fields: readonly Field[]): string {
  const values = fields.slice(0, SUMMARY_FIELDS).map(({ value }) => clip(toLine(value), MAX_SUMMARY_VALUE));
  return values.length === 0 ? title : `${title}: ${values.join(', ')}`;
}
