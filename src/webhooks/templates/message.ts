import type { EventType } from '../event-types.ts';
import { clip } from './fit.ts';
import { LAYOUTS, type Layout } from './layouts.ts';
import { saysNothing, toLine, toValue, type Value } from './values.ts';

/** An event as a chat is told of it. */
export interface Notice {
  readonly type: EventType;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly isSandbox: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What every platform shows, each in its own way. Texts are not yet escaped; all but values are one line. */
export interface Message {
  readonly title: string;
  /** `#` and six hex digits in lower case. */
  readonly color: string;
  readonly fields: readonly Field[];
  /** One line for notifications. */
  readonly summary: string;
  readonly timestamp: string;
}

/** A value and what it is called. */
export interface Field extends Value {
  readonly label: string;
}

const SUMMARY_FIELDS = 2;
const MAX_SUMMARY_VALUE = 100;

/** Fields that say nothing are left out. @param accentColor null leaves the event its own colour. */
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
  const known = new Set(layout.fields.map(([key]) => key));
  const others = Object.keys(data).filter((key) => !known.has(key));
  return [
    ...layout.fields.map(([key, label, form]) => ({ label, ...toValue(data[key], form) })),
    ...others.map((key) => ({ label: toLine(key) || '?', ...toValue(data[key]) })),
  ].filter(({ value }) => !saysNothing(value));
}

function summaryOf(title: string, fields: readonly Field[]): string {
  const telling = fields.slice(0, SUMMARY_FIELDS).map(({ value }) => clip(toLine(value), MAX_SUMMARY_VALUE));
  return telling.length === 0 ? title : `${title}: ${telling.join(', ')}`;
}
