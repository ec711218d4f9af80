import type { JsonObject, JsonValue, Revenue } from './types.ts';

/** An event whose name networks know, for `track`; the functions of `StandardEvent` make it. */
export interface StandardEvent {
  readonly name: string;
  readonly properties?: JsonObject | undefined;
  readonly revenue?: Revenue | undefined;
}

/** @param fields the properties in camel case, and the revenue. */
export function eventOf(name: string, fields: object = {}): StandardEvent {
  const { revenue, ...rest } = fields as { readonly revenue?: Revenue };
  let properties: JsonObject | undefined;
  for (const [field, value] of Object.entries<JsonValue | undefined>(rest)) {
    if (value === undefined || value === null) continue;
    properties ??= {};
    properties[field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)] = value;
  }
  return { name, properties, revenue };
}
