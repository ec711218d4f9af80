/** The table of standard events, `packages/core/standard-events.json`. */

export interface Table {
  readonly fields: Readonly<Record<string, { readonly type: FieldType; readonly is: string }>>;
  readonly events: readonly Event[];
}

export type FieldType = 'revenue' | 'text' | 'integer' | 'number';

export interface Event {
  /** As it is sent. */
  readonly name: string;
  readonly when: string;
  /** Names of fields; `!` marks one that the event needs. */
  readonly fields: readonly string[];
  readonly ga4: string | null;
  /** Of App Events. */
  readonly meta: string | null;
  /** Of the Conversions API, where it is another. */
  readonly metaConversions?: string;
  readonly tiktok: string | null;
  /** A type of the App Conversion Tracking API; others are custom. */
  readonly googleAds?: string;
}

export interface Field {
  readonly name: string;
  readonly property: string;
  readonly type: FieldType;
  readonly isNeeded: boolean;
}

export function fieldsOf({ fields }: Table, event: Event): Field[] {
  return event.fields.map((text) => {
    const name = text.replace('!', '');
    const type = fields[name]?.type;
    if (type === undefined)
      throw new Error(`${event.name} has a field ${name} that the table does not describe`);
    return { name, type, property: toSnake(name), isNeeded: text.endsWith('!') };
  });
}

/** The name of a field as a property of the event. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** `add_to_cart` as `addToCart`. */
export function toCamel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
